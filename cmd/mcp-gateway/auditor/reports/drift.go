package reports

import (
	"context"
	"strconv"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
)

// mostDrifts bounds the changes that are told of.
const mostDrifts = 10_000

// drifts tells of each changed definition of a reviewed tool how long it can have
// been what the upstream served before it was held back: since the list before. And
// how many calls of it were let through until somebody reviewed it: none, or
// something is broken.
func drifts(ctx context.Context, a *records.Records, f audit.Filter) (*cli.Table, error) {
	f.Type, f.Order, f.Limit = audit.ToolsChanged, audit.OldestFirst, mostDrifts
	rows, err := a.Query(ctx, f)
	if err != nil {
		return nil, err
	}
	t := &cli.Table{Columns: []string{"time", "tool", "state", "definition", "held_back_within_ms", "calls_let_through"},
		Kinds: numbers("held_back_within_ms", "calls_let_through")}
	for i := range rows {
		r := &rows[i]
		if r.Tool == "" || !heldBack(r.State) {
			continue
		}
		through, err := letThrough(ctx, a, r, reviewed(rows[i+1:], r))
		if err != nil {
			return nil, err
		}
		within := ""
		if r.Duration > 0 {
			within = strconv.FormatInt(r.Duration.Milliseconds(), 10)
		}
		t.Add(r.Time.UTC().Format(time.RFC3339), string(r.Tool), string(r.State), string(r.Of), within, strconv.FormatUint(through, 10))
	}
	return t, nil
}

func heldBack(s gateway.ExposureState) bool {
	switch s {
	case gateway.StateChanged, gateway.StateQuarantined, gateway.StateWithheld:
		return true
	}
	return false
}

// reviewed returns when that very definition was approved later, the zero time if it
// was not.
func reviewed(later []audit.Row, r *audit.Row) time.Time {
	for i := range later {
		if l := &later[i]; l.Tool == r.Tool && l.Of == r.Of && l.State == gateway.StateApproved {
			return l.Time
		}
	}
	return time.Time{}
}

// letThrough counts the calls of that definition in a time.
func letThrough(ctx context.Context, a *records.Records, r *audit.Row, until time.Time) (uint64, error) {
	groups, err := a.Count(ctx, audit.Filter{Type: audit.ToolDecided, Tool: r.Tool, Since: r.Time, Until: until}, []string{"definition"})
	for _, g := range groups {
		if g.Values[0] == string(r.Of) {
			return g.Rows, err
		}
	}
	return 0, err
}
