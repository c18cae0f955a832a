package records

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// Told is one event of a story, with the part that it plays there.
type Told struct {
	Part  string
	Event audit.Event
	Line  []byte // as it stands in the journal
}

// The parts of a story, in the order in which they are told.
const (
	PartBuild    = "gateway"  // which build wrote it
	PartPolicy   = "policy"   // the policy that was in force
	PartDrift    = "review"   // the newest change of the tool's definition
	PartOffered  = "offered"  // what the principal was last offered
	PartApproval = "approval" // what a person was asked and answered
	PartDecided  = "decided"
	PartSettled  = "settled"
	PartOther    = "also" // what else is on record of the action
)

// ErrNoEvent says that no event has such an id.
var ErrNoEvent = errors.New("no event has that id")

// Story returns all that is on record of an action: of a call what was offered
// before, under which policy it was decided, what a person said, what became of
// it. id is the action's, that of one event, or a ticket's.
func (a *Records) Story(ctx context.Context, id audit.ID) ([]Told, error) {
	rows, err := a.index.Query(ctx, audit.Filter{Action: id, Order: audit.OldestFirst})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		if rows, err = a.index.Event(ctx, id); err != nil {
			return nil, err
		}
	}
	if len(rows) == 0 { // a ticket: the calls that it is of, and what became of it
		if rows, err = a.index.Query(ctx, audit.Filter{Approval: id, Order: audit.OldestFirst}); err != nil {
			return nil, err
		}
	}
	if len(rows) == 0 {
		return nil, ErrNoEvent
	}
	var told []Told
	for i := range rows {
		events, err := a.both(&rows[i])
		if err != nil {
			return nil, err
		}
		told = append(told, events...)
	}
	if told, err = a.withTicket(ctx, told); err != nil {
		return nil, err
	}
	told = ordered(told)
	before, err := a.setting(ctx, &told[0].Event)
	return append(before, told...), err
}

// both returns the event of a row and the one that settled it.
func (a *Records) both(r *audit.Row) ([]Told, error) {
	first, err := a.at(r.Position)
	if err != nil {
		return nil, err
	}
	first.Part = partOf(first.Event.Type)
	if r.Settled.Seq == 0 {
		return []Told{first}, nil
	}
	last, err := a.at(r.Settled)
	if err != nil {
		return nil, err
	}
	last.Part = PartSettled
	if first.Part == PartApproval {
		return []Told{first}, nil // the row of the call has what settled it
	}
	return []Told{first, last}, nil
}

// withTicket adds what became of the ticket that a call asked for or used: who answered
// it did not name the call.
func (a *Records) withTicket(ctx context.Context, told []Told) ([]Told, error) {
	var ticket audit.ID
	for i := range told {
		if t := told[i].Event.Approval; !t.IsZero() {
			ticket = t
		}
	}
	if ticket.IsZero() {
		return told, nil
	}
	rows, err := a.index.Query(ctx, audit.Filter{Approval: ticket, Order: audit.OldestFirst})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if partOf(rows[i].Type) != PartApproval {
			continue // another call of the same consent
		}
		answer, err := a.at(rows[i].Position)
		if err != nil {
			return nil, err
		}
		answer.Part = PartApproval
		told = append(told, answer)
	}
	return told, nil
}

// ordered tells each event once, in the order of their times and, within one writer,
// of their numbers.
func ordered(told []Told) []Told {
	seen := map[audit.ID]bool{}
	told = slices.DeleteFunc(told, func(t Told) bool {
		twice := seen[t.Event.ID]
		seen[t.Event.ID] = true
		return twice
	})
	slices.SortStableFunc(told, func(x, y Told) int {
		a, b := &x.Event, &y.Event
		if a.Replica == b.Replica && a.Boot == b.Boot {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.Time.Compare(b.Time)
	})
	return told
}

func partOf(t audit.Type) string {
	switch t {
	case audit.ToolDecided, audit.ToolRefused:
		return PartDecided
	case audit.ApprovalAsked, audit.ApprovalGranted, audit.ApprovalUsed, audit.ApprovalRefused, audit.ApprovalExpired, audit.ApprovalRevoked:
		return PartApproval
	default:
		return PartOther
	}
}

func (a *Records) at(p audit.Position) (Told, error) {
	e, line, err := folder.Find(a.dir, folder.Writer{Replica: p.Replica, Boot: p.Boot}, p.Seq)
	return Told{Event: e, Line: line}, err
}

// setting returns what stood around a call: the build, the policy, the tool's
// last change, and what the principal was last offered. What retention deleted
// is left out.
func (a *Records) setting(ctx context.Context, e *audit.Event) ([]Told, error) {
	started := audit.Filter{Type: audit.GatewayStarted, Replica: e.Replica}
	policy := audit.Filter{Type: audit.PolicyLoaded, Replica: e.Replica}
	drift := audit.Filter{Type: audit.ToolsChanged, Tool: e.Tool}
	offered := audit.Filter{Type: audit.ToolsListed, Principal: e.Principal}
	var out []Told
	for _, c := range []struct {
		part string
		f    audit.Filter
		ask  bool
	}{
		{PartBuild, started, true}, {PartPolicy, policy, e.Policy != ""},
		{PartDrift, drift, e.Tool != ""}, {PartOffered, offered, e.Principal != ""},
	} {
		if !c.ask {
			continue
		}
		c.f.Until, c.f.Limit = e.Time, 1
		rows, err := a.index.Query(ctx, c.f)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			continue
		}
		told, err := a.at(rows[0].Position)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		told.Part = c.part
		out = append(out, told)
	}
	return out, nil
}

// Of returns the events of a story that are the action, or the one event, of an id: not
// what stood around it.
func Of(story []Told, id string) []Told {
	return slices.DeleteFunc(slices.Clone(story), func(t Told) bool {
		return t.Event.ID.String() != id && t.Event.Action.String() != id
	})
}
