package reviewer

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/tell"
	"mcp-gateway/confine"
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
			"each tool might be approved. Nothing is written but that it was observed, unless a gateway\n" +
			"runs on this state: it looks itself, and keeps what it sees. Exit code 1 where it does not answer.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := d.meet(cmd, args[0])
			if err != nil {
				return err
			}
			fact := in.Facts[args[0]]
			if !fact.Up || tell.Tokenless(fact) {
				lastWords(cmd.ErrOrStderr(), in, args[0])
				return &cli.Error{Code: cli.Failed, Text: fmt.Sprintf("error: %s does not answer: %s", args[0], tell.Cause(fact))}
			}
			introduce(cmd.OutOrStdout(), in, args[0])
			return nil
		},
	}
}

// lastWords prints what the process of an upstream that does not answer wrote to stderr
// at last, cleaned, as its own words; and what keeps many from starting.
func lastWords(w io.Writer, in *run.Inspection, id string) {
	const most = 20
	lines := in.Said(id)
	if len(lines) > 0 {
		fmt.Fprintf(w, "%s itself says, at last:\n", id)
	}
	for _, line := range lines[max(0, len(lines)-most):] {
		fmt.Fprintf(w, "  | %s\n", diff.Visible(line))
	}
	if s := in.Config.Upstreams[id].Stdio; s != nil && s.Confine != nil && s.Confine.Network != confine.Any {
		fmt.Fprintln(w, "it is started without the network (confine.network): a command that fetches packages first, such as npx or uvx, waits for them in vain")
	}
}

// told prints instructions as their lines, and what is suspicious about them.
func told(w io.Writer, raw []byte) {
	text, ok := protocol.Text(raw)
	if !ok {
		text = string(raw)
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "              | %s\n", diff.Visible(strings.TrimRight(line, "\r\n")))
	}
	for _, f := range findings.Told(raw) {
		fmt.Fprintf(w, "              %s %s: %s%s\n", f.Severity, f.Code, findings.Reason(f.Code), quoted(f.Excerpt))
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
		fmt.Fprintf(w, "instructions  %s\n", protocol.DigestOf(list.Instructions))
		told(w, list.Instructions)
	}
	var all []registry.Observation
	for _, o := range in.Registry.Observations() {
		if o.ID.Upstream == id && o.Definition != nil {
			all = append(all, o)
		}
	}
	fmt.Fprintf(w, "offers        %s\n", count(all))
	for i := range all {
		propose(w, &all[i])
	}
	if list.Identity != "" && in.Exposure.Upstream(id) == nil {
		fmt.Fprintf(w, "\nthe upstream itself\n  mcp-gateway upstreams approve %s --identity %s --source … --by …\n", id, list.Identity)
	}
}

// count says in one line how much there is to review.
func count(all []registry.Observation) string {
	kinds, warned := map[string]int{}, 0
	for i := range all {
		kinds[all[i].ID.Kind.String()]++
		if slices.ContainsFunc(all[i].Findings, func(f gateway.Finding) bool { return f.Severity != gateway.Info }) {
			warned++
		}
	}
	var parts []string
	for _, kind := range gateway.Kinds() {
		if n := kinds[kind.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s%s", n, kind, map[bool]string{true: "s"}[n > 1]))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s; %d with warnings", strings.Join(parts, ", "), warned)
}

// propose says what one thing says of itself, what is suspicious about it, and how it
// might be approved. What it would do is guessed from its name, never from what the
// upstream claims.
func propose(w io.Writer, o *registry.Observation) {
	fmt.Fprintf(w, "\n%s  %s %s\n", diff.Visible(o.ID.String()), o.State, cli.Joined(o.Reasons))
	if said := says(o.Definition.Raw); said != "" {
		fmt.Fprintf(w, "  says: %s\n", said)
	}
	var infos, warnings []string
	for _, f := range o.Findings {
		if f.Severity == gateway.Info {
			infos = append(infos, f.Code)
			continue
		}
		if !slices.Contains(warnings, f.Code) {
			warnings = append(warnings, f.Code)
		}
		fmt.Fprintf(w, "  %s %s at %s: %s%s\n", f.Severity, f.Code, diff.Visible(f.Path), findings.Reason(f.Code), quoted(f.Excerpt))
	}
	if infos != nil {
		fmt.Fprintf(w, "  info: %s\n", strings.Join(infos, ", "))
	}
	if o.State != gateway.StateNew || o.ID.Name == "" {
		return
	}
	fmt.Fprintf(w, "  mcp-gateway tools approve %s --definition %s", shell(o.ID.String()), o.Digest)
	if o.ID.Kind == gateway.KindTool {
		offer(w, o)
	}
	for _, code := range warnings {
		fmt.Fprintf(w, " --waive %s=…", code)
	}
	fmt.Fprintln(w, " --owner … --why … --by …")
}

// offer is what a tool's approval needs besides.
func offer(w io.Writer, o *registry.Observation) {
	effect := findings.Effect(o.ID.Name)
	if effect == "" {
		effect = gateway.Destructive
	}
	fmt.Fprintf(w, " --side-effect %s --scope %s:%s", effect, o.ID.Upstream, map[bool]string{true: "read", false: "write"}[effect == gateway.Read])
	if effect != gateway.Read && o.Definition.Output != nil {
		fmt.Fprint(w, " --external-id …")
	} else if effect != gateway.Read { // nothing guarantees any
		fmt.Fprint(w, " --waive external_id=…")
	}
}

// says is the beginning of what a definition says of itself.
func says(raw []byte) string {
	if protocol.Kind(raw) != '{' {
		return ""
	}
	value, _ := protocol.Member(raw, "description")
	text, _ := protocol.Text(value)
	text = strings.Join(strings.Fields(text), " ")
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s… (%d characters)", diff.Visible(string(runes[:most])), len(runes))
	}
	return diff.Visible(text)
}

func quoted(excerpt string) string {
	if excerpt == "" {
		return ""
	}
	return fmt.Sprintf(": \"%s\"", diff.Visible(excerpt))
}

// shell quotes what an upstream chose, so that a shell takes a command that is pasted as
// it stands.
func shell(text string) string {
	if strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./:", r))
	}) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
