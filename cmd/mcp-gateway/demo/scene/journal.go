package scene

import (
	"context"
	"errors"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/cmd/mcp-gateway/run"
)

// told says which events belong to what hosts do. What the gateway does by itself comes
// when it comes; so does what its next sweep puts on record: that time ended a ticket, and
// what was answered beside it.
func told(e *audit.Event) bool {
	switch e.Type {
	case audit.ToolDecided, audit.ToolFinished, audit.ToolRefused, audit.ToolRepeated, audit.ToolsListed, audit.RequestRefused,
		audit.ApprovalAsked, audit.ApprovalUsed, audit.LedgerReconciled:
		return true
	case audit.ApprovalGranted, audit.ApprovalRefused:
		return e.Label != Beside
	}
	return false
}

// Beside is how those came who answer on the state directory.
const Beside = "cli"

// Fresh returns the events since it was asked last, in the order of the story's time.
func (s *Stage) Fresh(ctx context.Context) ([]audit.Event, error) {
	var all []audit.Event
	var err error
	for state, read := range s.read {
		err = errors.Join(err, folder.Read(ctx, s.Path(state+"/"+run.JournalDir), read, func(e folder.Entry) error {
			if told(e.Event) {
				all = append(all, *e.Event)
			}
			return nil
		}))
	}
	slices.SortStableFunc(all, func(a, b audit.Event) int { return a.Time.Compare(b.Time) })
	return all, err
}

// peek returns what fresh will, and leaves it there.
func (s *Stage) peek(ctx context.Context) ([]audit.Event, error) {
	kept := map[string]folder.Cursor{}
	for state, read := range s.read {
		kept[state] = read.Clone()
	}
	events, err := s.Fresh(ctx)
	s.read = kept
	return events, err
}

// Retries is how often calls of this case were sent again, by their events.
func (s *Stage) Retries(ctx context.Context) (n uint64, err error) {
	events, err := s.peek(ctx)
	for i := range events {
		n += events[i].Retries
	}
	return n, err
}

// OfRun counts the events of this case that a host's run joins.
func (s *Stage) OfRun(ctx context.Context, name string) (decided, finished int, err error) {
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
