package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// unknown stands for all names that are not served: they are on record as keyed
// digests only.
const unknown = "(unknown)"

// worstPlaces is how many places of a schema are named.
const worstPlaces = 3

// tally is what became of the calls of one tool by one class.
type tally struct {
	tool, class                        string
	calls                              uint64
	unknown, broken, denied, violating uint64
	asked, committed                   uint64
	places                             map[string]uint64 // of the schema, with the keyword
}

func (t *tally) add(g group) {
	t.calls += g.rows
	if g.outcome == string(gateway.OutcomeCommitted) {
		t.committed += g.rows
	}
	switch {
	case g.effect == string(gateway.Ask) && g.kind == audit.ToolRefused:
		t.asked += g.rows // a person was, and nothing was sent
	case g.code == string(gateway.CodeUnknownTool):
		t.unknown += g.rows
	case g.code == string(gateway.CodeInvalidArguments):
		t.broken += g.rows
	case g.code == string(gateway.CodeContractViolation):
		t.violating += g.rows
	case g.effect == string(gateway.Deny):
		t.denied += g.rows
	}
	for place := range strings.SplitSeq(g.faults, ",") {
		if place != "" {
			t.places[place] += g.rows
		}
	}
}

// worst names the places that were most often wrong.
func (t *tally) worst() string {
	all := slices.SortedFunc(maps.Keys(t.places), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.places[b], t.places[a]), strings.Compare(a, b))
	})
	texts := make([]string, 0, worstPlaces)
	for _, place := range all[:min(worstPlaces, len(all))] {
		texts = append(texts, fmt.Sprintf("%s (%d)", place, t.places[place]))
	}
	return strings.Join(texts, ", ")
}

// group is one row of the count that the report is made of.
type group struct {
	tool, class, code, effect, faults string
	outcome                           string
	kind                              audit.Type
	rows                              uint64
}

// calls tells of each tool and class of principal what its calls became.
func calls(ctx context.Context, a *records.Records, f audit.Filter, by string) (*cli.Table, error) {
	found, err := a.Count(ctx, f, []string{"tool", by, "code", "effect", "faults", "method", "type", "outcome"})
	if err != nil {
		return nil, err
	}
	all := map[[2]string]*tally{}
	for _, row := range found {
		v := row.Values
		if v[5] != protocol.MethodToolsCall || v[6] != string(audit.ToolDecided) && v[6] != string(audit.ToolRefused) {
			continue
		}
		g := group{tool: cmp.Or(v[0], unknown), class: v[1], code: v[2], effect: v[3], faults: v[4], kind: audit.Type(v[6]), outcome: v[7], rows: row.Rows}
		if by == "principal" {
			g.class = a.Who(&audit.Row{Principal: audit.Keyed(g.class)})
		}
		key := [2]string{g.tool, g.class}
		if all[key] == nil {
			all[key] = &tally{tool: g.tool, class: g.class, places: map[string]uint64{}}
		}
		all[key].add(g)
	}
	t := &cli.Table{Columns: []string{"tool", by, "calls", "unknown_tool", "unknown_tool_%", "invalid_arguments", "invalid_arguments_%",
		"denied", "denied_%", "contract_violation", "contract_violation_%", "asked", "committed", "most_often_wrong"}}
	t.Kinds = numbers(t.Columns[2 : len(t.Columns)-1]...)
	for _, one := range slices.SortedFunc(maps.Values(all), func(x, y *tally) int {
		return cmp.Or(cmp.Compare(y.calls, x.calls), strings.Compare(x.tool, y.tool), strings.Compare(x.class, y.class))
	}) {
		row := []string{one.tool, one.class, strconv.FormatUint(one.calls, 10)}
		for _, n := range []uint64{one.unknown, one.broken, one.denied, one.violating} {
			row = append(row, strconv.FormatUint(n, 10), percent(n, one.calls))
		}
		t.Add(append(row, strconv.FormatUint(one.asked, 10), strconv.FormatUint(one.committed, 10), one.worst())...)
	}
	return t, nil
}

// percent is a share with one digit behind the point.
func percent(n, of uint64) string {
	if of == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64)
}

// numbers are the kinds of columns that hold such.
func numbers(columns ...string) map[string]cli.Kind {
	kinds := map[string]cli.Kind{}
	for _, c := range columns {
		kinds[c] = cli.Number
	}
	return kinds
}
