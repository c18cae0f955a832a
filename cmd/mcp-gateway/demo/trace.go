package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/run"
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

// told are the types of events that belong to what hosts do. What the gateway does by
// itself comes when it comes.
func told(t audit.Type) bool {
	switch t {
	case audit.ToolDecided, audit.ToolFinished, audit.ToolRefused, audit.ToolRepeated, audit.ToolsListed, audit.RequestRefused,
		audit.ApprovalAsked, audit.ApprovalGranted, audit.ApprovalRefused, audit.ApprovalExpired, audit.LedgerReconciled:
		return true
	}
	return false
}

// fresh returns the events since it was asked last, in the order of the story's time.
func (s *stage) fresh(ctx context.Context) ([]audit.Event, error) {
	var all []audit.Event
	var err error
	for state, read := range s.read {
		err = errors.Join(err, folder.Read(ctx, s.path(state+"/"+run.JournalDir), read, func(e folder.Entry) error {
			if told(e.Event.Type) {
				all = append(all, *e.Event)
			}
			return nil
		}))
	}
	slices.SortStableFunc(all, func(a, b audit.Event) int { return a.Time.Compare(b.Time) })
	return all, err
}

// lines are the events of a case. Calls that were made at the same time come in the
// order of their tools.
func (t *tracer) lines(p *plot, events []audit.Event) []line {
	if p.abreast {
		slices.SortStableFunc(events, func(a, b audit.Event) int { return cmp.Compare(owner(events, a), owner(events, b)) })
	}
	out := make([]line, 0, len(events))
	for i := range events {
		e := &events[i]
		out = append(out, line{
			Case: p.id, N: i + 1, Type: e.Type, Action: t.name("action", e.Action), Approval: t.name("approval", e.Approval),
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

// peek returns what fresh will, and leaves it there.
func (s *stage) peek(ctx context.Context) ([]audit.Event, error) {
	kept := map[string]folder.Cursor{}
	for state, read := range s.read {
		kept[state] = read.Clone()
	}
	events, err := s.fresh(ctx)
	s.read = kept
	return events, err
}

// retries is how often calls of this case were sent again, by their events.
func (s *stage) retries(ctx context.Context) (n uint64, err error) {
	events, err := s.peek(ctx)
	for i := range events {
		n += events[i].Retries
	}
	return n, err
}

// ofRun counts the events of this case that a host's run joins.
func (s *stage) ofRun(ctx context.Context, name string) (decided, finished int, err error) {
	events, err := s.peek(ctx)
	actions := map[audit.ID]bool{}
	for i := range events {
		if e := &events[i]; e.Type == audit.ToolDecided && string(e.Run) == name {
			decided++
			actions[e.Action] = true
		} else if e.Type == audit.ToolFinished && actions[e.Action] {
			finished++
		}
	}
	return decided, finished, err
}
