package reviewer

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/reviewer/whom"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/diff"
	"mcp-gateway/registry/inventory"
)

func (d *Desk) report() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "The inventory: every tool, its owner and reason, who uses it, who can reach it, what might go",
		Long: "The inventory. -o md prints it as Markdown. `remove` names why a tool might be taken out: no_reason, never_used\n" +
			"in the time of --since, twin of another upstream's tool. Of an OAuth issuer, whose principals are not known before\n" +
			"they come, reached_by names classes: issuer[scopes], issuer[*] of those who hold every scope, and issuer[*;groups=G]\n" +
			"of those who see something else for a group, scope or tenant that stands in the policy or its data. --as asks for\n" +
			"others, by what they claim.\n" +
			"With --lethal: for each configured principal and class, whether it reaches tools that together can carry private data to\n" +
			"strangers, and the fewest tools without which it can't; exit code 3 where one can. (assumed) marks what no reviewer\n" +
			"judged, which is taken to be the worst; lethal_as_reviewed is by what was judged alone.",
		Args: cobra.NoArgs,
	}
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	since := cmd.Flags().Duration("since", 90*24*time.Hour, "how far back use is counted")
	lethal := cmd.Flags().Bool("lethal", false, "who can reach private data, strangers' content and the outside together")
	as := cmd.Flags().StringArray("as", nil, "also ask for `who`: \"NAME: issuer=URL tenant=T client=C groups=A,B scopes=X,Y\", each where it is known; repeat for several")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		more, err := whom.Named(*as)
		if err != nil {
			return err
		}
		in, err := d.Inspect(cmd, "", false)
		if err != nil {
			return err
		}
		seen, err := sights(cmd.Context(), in, more, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if *lethal {
			return combinations(cmd.OutOrStdout(), in, seen, *format)
		}
		used, err := uses(cmd.Context(), in, time.Now().Add(-*since))
		if err != nil {
			return err
		}
		return write(cmd.OutOrStdout(), inventoryOf(in, seen, used), *format)
	}
	return cmd
}

// use is how a tool was called.
type use struct {
	calls   int
	last    time.Time
	callers []string
}

// uses asks the journal's index.
func uses(ctx context.Context, in *run.Inspection, since time.Time) (map[string]*use, error) {
	a, err := records.Open(in.Config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }() // it was only read
	all := map[string]*use{}
	const most = 1_000_000
	rows, err := a.Query(ctx, audit.Filter{Since: since, Type: audit.ToolDecided, Limit: most})
	for i := range rows {
		r := &rows[i]
		u := all[string(r.Tool)]
		if u == nil {
			u = &use{}
			all[string(r.Tool)] = u
		}
		u.calls++
		if r.Time.After(u.last) {
			u.last = r.Time
		}
		if who := a.Who(r); !slices.Contains(u.callers, who) {
			u.callers = append(u.callers, who)
		}
	}
	return all, err
}

func inventoryOf(in *run.Inspection, seen []seenBy, used map[string]*use) *cli.Table {
	t := &cli.Table{Columns: []string{"tool", "owner", "side_effect", "claimed", "idempotent", "scopes", "why", "contract", "state",
		"findings", "calls", "last_used", "callers", "reached_by", "bytes", "remove"},
		Narrow: []string{"tool", "owner", "side_effect", "state", "findings", "calls", "reached_by", "remove"}}
	var tools []inventory.Tool
	var listed []registry.Observation
	for _, o := range in.Registry.Observations() {
		if o.ID.Kind == gateway.KindTool && o.ID.Name != "" {
			listed = append(listed, o)
			tools = append(tools, toolOf(&o, used[o.Exposed]))
		}
	}
	for i, reasons := range inventory.Remove(tools) {
		o, f := &listed[i], tools[i].Facts
		u := used[o.Exposed]
		if u == nil {
			u = &use{}
		}
		last := ""
		if !u.last.IsZero() {
			last = u.last.UTC().Format(time.DateOnly)
		}
		effect := ""
		if o.Record != nil {
			effect = string(f.Class())
		}
		t.Add(o.ID.String(), f.Owner, effect, claimed(o), string(f.Idempotent), strings.Join(f.Scopes, " "), f.Why, f.Contract, string(o.State),
			strings.Join(Codes(o), " "), strconv.Itoa(u.calls), last, strings.Join(u.callers, " "), strings.Join(reachedBy(in, seen, o.ID), " "),
			strconv.Itoa(rendered(in, o.ID)), strings.Join(reasons, " "))
	}
	return t
}

func toolOf(o *registry.Observation, u *use) inventory.Tool {
	t := inventory.Tool{ID: o.ID, Facts: &gateway.ExposureFacts{}}
	if o.Record != nil {
		t.Facts = &o.Record.Facts
	}
	if o.Definition != nil {
		t.InputSchema = o.Definition.InputSchema
	}
	if u != nil {
		t.Calls = u.calls
	}
	return t
}

// claimed is what the upstream says of its tool: shown beside the review, believed
// nowhere.
func claimed(o *registry.Observation) string {
	if o.Definition == nil || protocol.Kind(o.Definition.Raw) != '{' {
		return ""
	}
	annotations, _ := protocol.Member(o.Definition.Raw, "annotations")
	if protocol.Kind(annotations) != '{' {
		return "nothing"
	}
	reads, _ := protocol.Member(annotations, "readOnlyHint")
	destroys, _ := protocol.Member(annotations, "destructiveHint")
	switch {
	case protocol.Kind(reads) == 't':
		return "read"
	case protocol.Kind(destroys) == 't':
		return "destructive"
	case protocol.Kind(destroys) == 'f':
		return "write"
	default:
		return "nothing"
	}
}

// Codes are the kinds of findings in what is observed, each once: those that hold back an
// approval first.
func Codes(o *registry.Observation) []string {
	var grave, all []string
	for _, f := range o.Findings {
		switch {
		case slices.Contains(grave, f.Code) || slices.Contains(all, f.Code):
		case f.Severity == gateway.Info:
			all = append(all, f.Code)
		default:
			grave = append(grave, f.Code)
		}
	}
	return append(grave, all...)
}

// reachedBy names the principals that may know of a tool.
func reachedBy(in *run.Inspection, seen []seenBy, id gateway.ItemID) []string {
	index := reach(in.Registry.Snapshot(), id)
	var all []string
	for _, s := range seen {
		if index >= 0 && s.view.Has(index) {
			all = append(all, s.name)
		}
	}
	return all
}

// rendered returns how many bytes a host is sent of a tool; 0 where it is not.
func rendered(in *run.Inspection, id gateway.ItemID) int {
	p, _ := in.Registry.Snapshot().Resolve(id.Kind, id.Upstream, id.Name)
	if !p.Valid() {
		return 0
	}
	return len(p.Item().Fragment)
}

// write is cli.Table.Write for cells that upstreams and reviewers wrote: what would not show
// is made to.
func write(w io.Writer, t *cli.Table, format string) error {
	for _, row := range t.Rows {
		for i := range row {
			row[i] = diff.Visible(row[i])
		}
	}
	return t.Write(w, format)
}
