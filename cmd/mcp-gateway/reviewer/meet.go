package reviewer

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/findings"
)

func (d *Desk) test() *cobra.Command {
	return &cobra.Command{
		Use:   "test UPSTREAM",
		Short: "Meet an upstream: does it answer, what is it, what does it list, what is suspicious",
		Long: "Meet an upstream: start or reach it, list what it offers, look for what is suspicious, and propose how\n" +
			"each tool might be approved. Nothing is written but that it was observed. Exit code 1 where it does not answer.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := d.meet(cmd, args[0])
			if err != nil {
				return err
			}
			fact := in.Facts[args[0]]
			if !fact.Up {
				return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s does not answer: %s", args[0], tell.Cause(fact))}
			}
			introduce(cmd.OutOrStdout(), in, args[0])
			return nil
		},
	}
}

// meet asks one upstream.
func (d *Desk) meet(cmd *cobra.Command, id string) (*run.Inspection, error) {
	in, err := d.Inspect(cmd, id, true)
	if err == nil && in.Config.Upstreams[id] == nil {
		err = cli.Misused("no upstream %q is configured", id)
	}
	return in, err
}

func listed(in *run.Inspection, id string) *registry.List {
	for _, l := range in.Registry.Lists() {
		if l.Upstream == id {
			return &l
		}
	}
	return &registry.List{}
}

func introduce(w io.Writer, in *run.Inspection, id string) {
	fact, list := in.Facts[id], listed(in, id)
	fmt.Fprintf(w, "%s answers: %s, %s; it calls itself %s\n", id, fact.Era, fact.Revision, diff.Visible(fact.ClaimedName+" "+fact.ClaimedVersion))
	fmt.Fprintf(w, "launch        %s\nidentity      %s\n", in.Registry.Upstream(id).Launch, list.Identity)
	if list.Instructions != nil {
		fmt.Fprintf(w, "instructions  %s\n              %s\n", protocol.DigestOf(list.Instructions), diff.Visible(string(list.Instructions)))
	}
	for _, o := range in.Registry.Observations() {
		if o.ID.Upstream == id && o.Definition != nil {
			propose(w, &o)
		}
	}
}

// propose says how one thing stands and how it might be approved. What it would do
// is guessed from its name, never from what the upstream claims.
func propose(w io.Writer, o *registry.Observation) {
	fmt.Fprintf(w, "\n%s  %s %s\n", diff.Visible(o.ID.String()), o.State, cli.Joined(o.Reasons))
	for _, f := range o.Findings {
		fmt.Fprintf(w, "  %s %s at %s: %s\n", f.Severity, f.Code, diff.Visible(f.Path), findings.Reason(f.Code))
	}
	if o.State != gateway.StateNew || o.ID.Kind != gateway.KindTool {
		return
	}
	effect := findings.Effect(o.ID.Name)
	if effect == "" {
		effect = gateway.Destructive
	}
	fmt.Fprintf(w, "  mcp-gateway tools approve %s --definition %s --side-effect %s --scope %s:%s --owner … --why … --by …",
		o.ID, o.Digest, effect, o.ID.Upstream, map[bool]string{true: "read", false: "write"}[effect == gateway.Read])
	if effect != gateway.Read {
		fmt.Fprint(w, " --external-id …")
	}
	fmt.Fprintln(w)
}
