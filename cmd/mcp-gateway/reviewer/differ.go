package reviewer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/whois"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/identity"
)

// Differences writes how something differs from what was reviewed, each text that changed
// word by word below the table, and ends with cli.Differs; what does not differ is said
// beside the output.
func Differences(cmd *cobra.Command, what string, changes []diff.Change, format string) error {
	if len(changes) == 0 {
		cmd.PrintErrln(what + ": as reviewed")
		return nil
	}
	t := &cli.Table{Columns: []string{"change", "class", "direction", "at", "reviewed", "now"}}
	if format != "table" {
		t.Columns = append(t.Columns, "words")
	}
	for _, c := range changes {
		row := []string{string(c.Kind), string(c.Class), string(c.Direction), c.Pointer, c.Old, c.New}
		t.Add(append(row, c.Words)[:len(t.Columns)]...)
	}
	if err := t.Write(cmd.OutOrStdout(), format); err != nil {
		return err
	}
	for _, c := range changes {
		if format == "table" && c.Words != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "\n%s: %s\n", c.Pointer, c.Words)
		}
	}
	return &cli.Error{Code: cli.Differs}
}

// differ is "upstreams diff".
func (d *Desk) differ() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff UPSTREAM",
		Short: "Show how an upstream itself differs from the reviewed one; exit 3 if it does",
		Long: "Show how an upstream itself differs from the reviewed one: what would be started or reached, who vouches for\n" +
			"its host, what it speaks and declares, what it tells models. Nothing is started or asked; exit code 3 where\n" +
			"anything differs.",
		Args: cobra.ExactArgs(1),
	}
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := d.unasked(cmd, args[0])
		if err != nil {
			return err
		}
		changes, err := changed(in, args[0])
		if err != nil {
			return err
		}
		return Differences(cmd, args[0], changes, *format)
	}
	return cmd
}

// changed compares what was reviewed of an upstream with what it is. What was reviewed is
// known by its digests; what these are of, if it was ever observed.
func changed(in *run.Inspection, id string) ([]diff.Change, error) {
	u, rec := in.Registry.Upstream(id), in.Exposure.Upstream(id)
	if u.State == gateway.StateNew {
		return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: nothing of %s itself was reviewed: there is nothing to compare", id)}
	}
	if u.State != gateway.StateChanged {
		return nil, nil
	}
	list := listed(in, id)
	var was, is []byte
	if slices.Contains(u.Reasons, gateway.ReasonInstructionsChanged) {
		told := whois.Told(in.History, id, rec.Instructions)
		was, is = told, orNull(list.Instructions)
	}
	before, now := whois.Reviewed(in.History, id, rec), list.Facts
	if unmet := in.Registry.Unmet(id); slices.ContainsFunc(u.Reasons, beforehand) && len(unmet) > 0 {
		before, now = known(before), unmet[0].Raw
	}
	if before == nil && len(u.Reasons) > 0 && u.Reasons[0] != gateway.ReasonInstructionsChanged {
		return nil, &cli.Error{Code: cli.Failed, Text: fmt.Sprintf(
			"error: %s changed (%s), and what was reviewed was never observed here; `upstreams show %s` prints what it is now", id, cli.Joined(u.Reasons), id)}
	}
	return diff.Upstreams(with(before, was), with(now, is)), nil
}

// beforehand says whether a reason is about what is known before an upstream is met.
func beforehand(r gateway.Reason) bool {
	return r == gateway.ReasonLaunchChanged || r == gateway.ReasonIssuerChanged
}

// known leaves of what an upstream was what is known before it is met.
func known(object []byte) []byte {
	if object == nil {
		return nil
	}
	f := identity.Parse(object)
	f.Revision, f.Capabilities = "", nil
	return f.Object()
}

// with adds instructions to the object of what an upstream is.
func with(object, instructions []byte) []byte {
	if object == nil {
		object = []byte("{}")
	}
	if instructions == nil {
		return object
	}
	open := bytes.TrimSuffix(object, []byte("}"))
	if len(open) > 1 {
		open = append(bytes.Clone(open), ',')
	}
	return append(append(append(bytes.Clone(open), `"instructions":`...), instructions...), '}')
}
