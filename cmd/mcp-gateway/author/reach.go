package author

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/auth"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/registry"
	"mcp-gateway/rego"
)

// scene is who could call what, and the policy that says whether.
type scene struct {
	principals []*gateway.Principal
	items      []*registry.Item
	engine     *rego.Engine
	inspection *run.Inspection
}

// scene sets up everyone whom the configuration names, everything that is served,
// and the policy. Callers that only an issuer knows are in it by their claims alone.
func (d *desk) scene(cmd *cobra.Command, from string) (*scene, error) {
	in, err := run.Inspect(cmd.Context(), run.Options{ConfigPath: *d.config, Version: d.version}, false)
	if err != nil {
		return nil, err
	}
	if from == "" {
		from = delivery.Place(in.Config)
	} else if err := there(from); err != nil {
		return nil, err
	}
	p, err := load(cmd.Context(), from, nil)
	if err != nil {
		return nil, err
	}
	s := &scene{items: in.Registry.Snapshot().All(), inspection: in}
	if s.engine, err = rego.New(p, rego.Options{Timeout: time.Second}); err != nil {
		return nil, err
	}
	for i := range in.Config.Auth.Keys {
		s.principals = append(s.principals, &in.Config.Auth.Keys[i].Principal)
	}
	for _, p := range []*gateway.Principal{in.Config.Auth.Stdio, in.Config.Auth.Anonymous} {
		if p != nil {
			s.principals = append(s.principals, p)
		}
	}
	return s, nil
}

// whoFlag says how a principal is named.
const whoFlag = "`who` it is: a configured subject, the id of its key, or @ and the file with the claims of a token"

// claimed returns whom the claims in a file mean, as JSON, by what the configuration
// says of their issuer.
func (s *scene) claimed(cmd *cobra.Command, file string) (*gateway.Principal, error) {
	claims, err := read(cmd, file)
	if err != nil {
		return nil, err
	}
	p, err := auth.Claimed(s.inspection.Config.Trusted(), claims)
	if err != nil {
		return nil, cli.Misused("%s: these claims make nobody whom auth.issuers lets in: %v", file, err)
	}
	return p, nil
}

// principal returns whom a name means: a subject or the id of a key, or of a file
// with claims.
func (s *scene) principal(cmd *cobra.Command, name string) (*gateway.Principal, error) {
	if file, claims := strings.CutPrefix(name, "@"); claims {
		return s.claimed(cmd, file)
	}
	var known []string
	for _, p := range s.principals {
		if p.Subject == name || p.Client == name {
			return p, nil
		}
		known = append(known, p.Subject)
	}
	return nil, cli.Misused("no configured principal is called %q; there are %s", name, strings.Join(known, ", "))
}

// item returns what is served under a name: as upstream/tool, or as exposed.
func (s *scene) item(name string) *registry.Item {
	for _, t := range s.items {
		if t.ID.String() == name || t.Exposed == name {
			return t
		}
	}
	return nil
}

// ask says what one principal may do with one item, with these arguments.
func (s *scene) ask(cmd *cobra.Command, p *gateway.Principal, t *registry.Item, args []byte) (visible, effect, reasons string) {
	if !sight.Admits(t, p) {
		return "no", "", "tenants"
	}
	r := sight.Resource(t)
	seen, err := s.engine.Visible(cmd.Context(), p, []*rego.Resource{r})
	if err != nil || !seen[0] {
		return "no", "", ""
	}
	d := s.engine.Decide(cmd.Context(), p, r, args, rego.Context{Era: "modern", Revision: "2026-07-28", Transport: "http", Time: time.Now()})
	return "yes", string(d.Effect), cli.Joined(d.Reasons)
}

const argumentsFlag = "the `file` with the arguments of the call; none by default, so that rules about arguments show as not met"

func (d *desk) who() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "who --tool TOOL",
		Short: "Who may see and call a tool: every configured principal, and whom claims describe",
		Args:  cobra.NoArgs,
	}
	tool := cmd.Flags().String("tool", "", "UPSTREAM/TOOL or its exposed name")
	bundle := cmd.Flags().String("bundle", "", "ask this `folder or bundle` instead of the configured policy")
	args := cmd.Flags().String("args", "", argumentsFlag)
	claims := cmd.Flags().StringArray("claims", nil, "ask for the bearer of a token with the claims in this `file` too, as JSON; may be repeated")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	_ = cmd.MarkFlagRequired("tool")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := d.scene(cmd, *bundle)
		if err != nil {
			return err
		}
		for _, file := range *claims {
			p, err := s.claimed(cmd, file)
			if err != nil {
				return err
			}
			s.principals = append(s.principals, p)
		}
		given, err := arguments(cmd, *args)
		if err != nil {
			return err
		}
		item := s.item(*tool)
		if item == nil {
			return &cli.Error{Code: cli.Failed, Text: "error: no tool " + *tool + " is served; `tools list` says why not"}
		}
		t := &cli.Table{Columns: []string{"principal", "client", "tenant", "visible", "effect", "reasons"}}
		for _, p := range s.principals {
			visible, effect, reasons := s.ask(cmd, p, item, given)
			t.Add(p.Subject, p.Client, p.Tenant, visible, effect, reasons)
		}
		return t.Write(cmd.OutOrStdout(), *format)
	}
	return cmd
}

func (d *desk) what() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "what --principal WHO",
		Short: "What a principal may see and call: everything that is served",
		Args:  cobra.NoArgs,
	}
	who := cmd.Flags().String("principal", "", whoFlag)
	bundle := cmd.Flags().String("bundle", "", "ask this `folder or bundle` instead of the configured policy")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	_ = cmd.MarkFlagRequired("principal")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := d.scene(cmd, *bundle)
		if err != nil {
			return err
		}
		p, err := s.principal(cmd, *who)
		if err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"tool", "side_effect", "visible", "effect", "reasons"}}
		for _, item := range s.items {
			visible, effect, reasons := s.ask(cmd, p, item, nil)
			t.Add(item.ID.String(), string(item.Facts.Class()), visible, effect, reasons)
		}
		return t.Write(cmd.OutOrStdout(), *format)
	}
	return cmd
}

func arguments(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return read(cmd, file)
}
