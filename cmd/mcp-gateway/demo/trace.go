package demo

import (
	"cmp"
	"fmt"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/demo/plots"
	"mcp-gateway/gateway"
)

// line is one event of a case without anything that is of one run only: ids are
// numbered as they appear, and times, places, pseudonyms and digests are left out.
type line struct {
	Case     string             `json:"case_id"`
	N        int                `json:"n"`
	Type     audit.Type         `json:"type"`
	Action   string             `json:"action,omitempty"`
	Approval string             `json:"approval,omitempty"`
	Method   audit.Method       `json:"method,omitempty"`
	Tool     audit.Ident        `json:"tool,omitempty"`
	Host     audit.Revision     `json:"host_revision,omitempty"`
	Upstream audit.Revision     `json:"upstream_revision,omitempty"`
	Class    gateway.SideEffect `json:"class,omitempty"`
	Effect   gateway.Effect     `json:"effect,omitempty"`
	Reasons  []gateway.Reason   `json:"reasons,omitempty"`
	Faults   []audit.Fault      `json:"faults,omitempty"`
	Code     gateway.Code       `json:"code,omitempty"`
	Outcome  gateway.Outcome    `json:"outcome,omitempty"`
	Retries  uint64             `json:"retries,omitempty"`
}

// tracer numbers what it sees.
type tracer struct{ names map[audit.ID]string }

func (t *tracer) name(kind string, id audit.ID) string {
	if id.IsZero() {
		return ""
	}
	if t.names == nil {
		t.names = map[audit.ID]string{}
	}
	if t.names[id] == "" {
		t.names[id] = fmt.Sprintf("%s-%02d", kind, len(t.names)+1)
	}
	return t.names[id]
}

// lines are the events of a case. Calls that were made at the same time come in the
// order of their tools.
func (t *tracer) lines(p *plots.Plot, events []audit.Event) []line {
	if p.Abreast {
		slices.SortStableFunc(events, func(a, b audit.Event) int { return cmp.Compare(owner(events, a), owner(events, b)) })
	}
	out := make([]line, 0, len(events))
	for i := range events {
		e := &events[i]
		out = append(out, line{
			Case: p.ID, N: i + 1, Type: e.Type, Action: t.name("action", e.Action), Approval: t.name("approval", e.Approval),
			Method: e.Method, Tool: e.Tool, Host: e.Revision, Upstream: e.UpstreamRevision, Class: e.Class,
			Effect: e.Effect, Reasons: e.Reasons, Faults: e.Faults, Code: e.Code, Outcome: e.Outcome, Retries: e.Retries,
		})
	}
	return out
}

// owner is the tool of an event's action.
func owner(events []audit.Event, e audit.Event) audit.Ident {
	for i := range events {
		if events[i].Action == e.Action && events[i].Tool != "" {
			return events[i].Tool
		}
	}
	return e.Tool
}
