package author

import (
	"fmt"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// ExplainTool returns "tools explain".
func ExplainTool(config *string, version string) *cobra.Command {
	d := &desk{config, version}
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Explain why a principal does or does not see a tool; exit 3 if it does not",
		Long:  "Explain why a principal does or does not see a tool: the first of the causes, in the order in which the gateway meets them. Nothing is taken from a cache of views or decisions.",
		Args:  cobra.ExactArgs(1),
	}
	as := cmd.Flags().String("as", "", whoFlag)
	_ = cmd.MarkFlagRequired("as")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := d.scene(cmd, "")
		if err != nil {
			return err
		}
		p, err := s.principal(cmd, *as)
		if err != nil {
			return err
		}
		cause, detail := s.cause(cmd, p, args[0])
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", cause, detail)
		if cause != "visible" {
			return &cli.Error{Code: cli.Differs}
		}
		return nil
	}
	return cmd
}

// cause is the first reason for which the tool is absent from what the principal
// is offered, as a code, and in words.
func (s *scene) cause(cmd *cobra.Command, p *gateway.Principal, name string) (code, detail string) {
	if item := s.item(name); item != nil {
		visible, effect, reasons := s.ask(cmd, p, item, nil)
		if reasons == "tenants" && visible == "no" {
			return string(gateway.ReasonNotVisible), fmt.Sprintf("the record of %s names the tenants %v, and %s is of %q; no policy widens that",
				item.ID, item.Facts.Tenants, p.Subject, p.Tenant)
		}
		if visible == "no" {
			return string(gateway.ReasonNotVisible), fmt.Sprintf("policy %s does not show %s to %s; it needs the scopes %v, and %v are held",
				s.engine.Revision(), item.ID, p.Subject, item.Facts.Scopes, p.Scopes)
		}
		return "visible", fmt.Sprintf("%s is shown to %s; a call without arguments would be: %s %s", item.ID, p.Subject, effect, reasons)
	}
	for _, o := range s.inspection.Registry.Observations() {
		if o.ID.String() == name || o.Exposed == name && name != "" {
			return string(o.State), fmt.Sprintf("%s is not served%s", o.ID, because(&o))
		}
	}
	id, ok := gateway.ParseItemID(name)
	if !ok {
		return string(gateway.ReasonToolAbsent), "no upstream ever listed it"
	}
	fact, met := s.inspection.Facts[id.Upstream]
	switch {
	case s.inspection.Config.Upstreams[id.Upstream] == nil:
		return string(gateway.ReasonToolAbsent), "there is no upstream " + id.Upstream
	case met && !fact.Up:
		return string(gateway.ReasonUpstreamDown), id.Upstream + " was down when it was asked last: " + fact.Reason
	}
	return string(gateway.ReasonToolAbsent), id.Upstream + " does not list it"
}

func because(o *registry.Observation) string {
	out := ""
	if len(o.Reasons) > 0 {
		out = ": " + cli.Joined(o.Reasons)
	}
	if o.Detail != "" {
		out += " (" + o.Detail + ")"
	}
	return out
}
