package auditor

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/protocol"
)

func (d *desk) contains() *cobra.Command {
	var value, principal, tool string
	cmd := &cobra.Command{
		Use:   "contains EVENT",
		Short: "Is this value in that event: as its arguments, a name, who or where from; exit 3 if not",
		Long: "Is this value in that event: as the whole arguments of the call, the name that was asked for, who asked (a subject,\n" +
			"a key id, or whole as 'ISSUER|SUBJECT'), a name that the event has in clear, or the address it came from. Events hold\n" +
			"keyed digests, so the state's keys are needed. Exit 3 if it is not, and 2 if it can't be told: since who called is\n" +
			"not known, whom --principal names, or since it is an address, which only refusals of strangers (refused.flood) keep.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readValue(value, cmd.InOrStdin())
			if err != nil {
				return err
			}
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			if a.Names() == nil {
				return records.Keyless()
			}
			story, err := tale(cmd, a, args[0])
			if err != nil {
				return err
			}
			story = records.Of(story, args[0])
			if protocol.Check(text, protocol.DefaultLimits()) == nil {
				text = protocol.AppendCanonical(nil, text)
			}
			resolved := true
			for _, t := range story {
				place, known := a.Contains(&t.Event, principal, tool, text)
				if resolved = resolved && known; place != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "yes: it is the %s of event %s\n", place, args[0])
					return nil
				}
			}
			if records.Unkept(story, string(text)) {
				return cli.Misused("cannot tell: where a call came from is not kept; only refusals of strangers, counted as refused.flood, keep a source")
			}
			if !resolved {
				return cli.Misused("cannot resolve who called: arguments and names are bound to the caller; name them with --principal 'ISSUER|SUBJECT'")
			}
			fmt.Fprintln(cmd.OutOrStdout(), "no")
			return &cli.Error{Code: cli.Differs}
		},
	}
	cmd.Flags().StringVar(&value, "value", "", "the value, @`FILE` for that of a file, or - for standard input; arguments as a JSON object")
	cmd.Flags().StringVar(&principal, "principal", "", "who called: a subject, a key id, or a whole identity as 'ISSUER|SUBJECT'; all configured ones where absent")
	cmd.Flags().StringVar(&tool, "tool", "", "the server's own name of the tool, where it does not follow from the exposed one")
	_ = cmd.MarkFlagRequired("value") // it was declared two lines above
	return cmd
}

// maxValue bounds a value that is read.
const maxValue = 64 << 20

func readValue(value string, stdin io.Reader) ([]byte, error) {
	switch {
	case value == "-":
		return io.ReadAll(io.LimitReader(stdin, maxValue))
	case len(value) > 1 && value[0] == '@':
		return os.ReadFile(value[1:])
	default:
		return []byte(value), nil
	}
}

// tale returns the story of an id that was typed.
func tale(cmd *cobra.Command, a *records.Records, text string) ([]records.Told, error) {
	id, ok := audit.ParseID(text)
	if !ok {
		return nil, cli.Misused("%q is no id", text)
	}
	story, err := a.Story(cmd.Context(), id)
	if errors.Is(err, records.ErrNoEvent) {
		return nil, &cli.Error{Code: cli.Failed, Text: "error: " + err.Error() + "; requests that were refused for want of a good credential are counted, " +
			"not kept one by one: `audit query --type refused.flood` has how many came from whom"}
	}
	return story, err
}
