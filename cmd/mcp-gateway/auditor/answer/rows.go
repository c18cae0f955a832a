package answer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
)

// A table holds so many rows where nobody says how many. What a machine reads is whole.
const (
	tableRows = 100
	allRows   = 1<<31 - 1
)

// Bound is how many rows are wanted: Limit, or where it is 0 as many as the format has.
type Bound struct {
	Limit int
	All   bool // in tables too
}

// In returns how many rows there may be in a format.
func (b Bound) In(format string) int {
	switch {
	case b.Limit > 0:
		return b.Limit
	case b.All || format != "table" && format != "md":
		return allRows
	}
	return tableRows
}

// tellCut says that there is more than was shown, and how it is had.
func tellCut(cmd *cobra.Command, shown int, of uint64, what string) {
	if uint64(shown) < of {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d %s; --limit N or --all\n", shown, of, what)
	}
}

// Rows writes the rows that a filter admits, at most as many as it says.
func Rows(cmd *cobra.Command, a *records.Records, f audit.Filter, format string) error {
	found, err := a.Query(cmd.Context(), f)
	if err != nil {
		return err
	}
	t := &cli.Table{
		Columns: []string{"time", "type", "principal", "tool", "state", "effect", "reasons", "code", "outcome", "ms", "id"},
		Extra:   []string{"principal", "key", "approval", "label", "outcome", "resolved", "approver"},
		Kinds:   map[string]cli.Kind{"time": cli.Time, "reasons": cli.List, "ms": cli.Number},
		Layout:  "2006-01-02 15:04:05.000",
	}
	for i := range found {
		resolved, err := resolution(cmd.Context(), a, &found[i])
		if err != nil {
			return err
		}
		t.Add(rowCells(&found[i], a, resolved)...)
	}
	if len(found) == f.Limit {
		groups, err := a.Count(cmd.Context(), f, nil)
		if err != nil {
			return err
		}
		tellCut(cmd, len(found), sum(groups), "rows")
	}
	return t.Write(cmd.OutOrStdout(), format)
}

// resolution is what was said later of an action whose outcome was unknown.
func resolution(ctx context.Context, a *records.Records, r *audit.Row) (gateway.Outcome, error) {
	if r.Outcome != gateway.OutcomeUnknown || r.Action.IsZero() {
		return "", nil
	}
	later, err := a.Query(ctx, audit.Filter{Action: r.Action, Type: audit.LedgerReconciled, Limit: 1})
	if err != nil || len(later) == 0 {
		return "", err
	}
	return later[0].Outcome, nil
}

func rowCells(r *audit.Row, a *records.Records, resolved gateway.Outcome) []string {
	tool, id, ms, approval, outcome := string(r.Tool), r.Event, "", "", string(r.Outcome)
	switch {
	case tool == "" && r.ToolRef != "" && r.Upstream != "":
		tool = a.Item(r.Method, r.Upstream, r.Of)
	case tool == "" && r.ToolRef != "":
		tool = "(unknown) " + string(r.ToolRef)
	case tool == "":
		tool = string(r.Upstream)
	}
	if !r.Action.IsZero() {
		id = r.Action
	}
	if r.Duration > 0 && r.Type != audit.ToolsChanged { // there it is how long the list before had been served
		ms = strconv.FormatFloat(float64(r.Duration.Microseconds())/1000, 'f', 1, 64)
	}
	if !r.Approval.IsZero() {
		approval = r.Approval.String()
	}
	if resolved != "" {
		outcome += ", then " + string(resolved)
	}
	name, key := a.Did(r)
	actor := records.By(name, key)
	if actor == "" && r.Label == "cli" {
		actor = "(a command)" // wrote it, beside the gateway
	}
	approver := ""
	if r.Approver != "" {
		approver = a.Who(&audit.Row{Principal: r.Approver})
	}
	return []string{
		cli.Stamp(r.Time), string(r.Type), actor, tool, string(r.State),
		string(r.Effect), cli.Joined(r.Reasons), string(r.Code), outcome, ms, id.String(),
		name, key, approval, string(r.Label), string(r.Outcome), string(resolved), approver,
	}
}

// Counts writes how many rows there are by the values of some columns.
func Counts(cmd *cobra.Command, a *records.Records, f audit.Filter, by []string, format string) error {
	limit := f.Limit
	f.Limit = allRows
	groups, err := a.Count(cmd.Context(), f, by)
	if errors.Is(err, index.ErrColumn) {
		return cli.Misused("--group-by: want some of %s", strings.Join(index.Columns(), ", "))
	}
	if err != nil {
		return err
	}
	if len(by) == 0 && len(groups) == 0 {
		groups = []index.Group{{}} // none is a number too
	}
	tellCut(cmd, min(limit, len(groups)), uint64(len(groups)), "groups")
	t := &cli.Table{Columns: append(by, "rows"), Kinds: map[string]cli.Kind{"rows": cli.Number}}
	for _, g := range groups[:min(limit, len(groups))] {
		for i, column := range by {
			if column == "principal" {
				g.Values[i] = a.Who(&audit.Row{Principal: audit.Keyed(g.Values[i])})
			}
		}
		t.Add(append(g.Values, strconv.FormatUint(g.Rows, 10))...)
	}
	return t.Write(cmd.OutOrStdout(), format)
}

func sum(groups []index.Group) (n uint64) {
	for _, g := range groups {
		n += g.Rows
	}
	return n
}
