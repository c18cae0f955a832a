package journal

import (
	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// turn is what an event does to its action: it opens it, it ends it, or neither.
type turn byte

const (
	opens turn = iota + 1
	hears      // opens a subscription
	ends
)

func turnOf(e *audit.Event) turn {
	switch e.Type {
	case audit.ToolDecided:
		return opens
	case audit.SubscriptionOpened:
		return hears
	case audit.ToolFinished, audit.ToolRefused, audit.SubscriptionClosed:
		if e.OfBoot == 0 && !e.Action.IsZero() { // else it is of another writer, or of no action
			return ends
		}
	}
	return 0
}

// openings are the decided events in the writer's segments that have no end there yet. The
// committer's.
type openings struct {
	all  map[audit.ID]folder.Opened
	lost bool // a sync failed: what it ended may not have ended
}

// take follows events that came to stand in a segment.
func (o *openings) take(rs []record) {
	for i := range rs {
		switch r := &rs[i]; r.turn {
		case opens, hears:
			if o.all == nil {
				o.all = map[audit.ID]folder.Opened{}
			}
			o.all[r.action] = folder.Opened{Action: r.action, Seq: r.at.seq, Heard: r.turn == hears}
		case ends:
			delete(o.all, r.action)
		}
	}
}

// noteOpen notes what is open, now that a new segment begins: all before it is durable.
// After a sync that failed it is not, and the last note from before stays.
func (j *Journal) noteOpen(spoiled bool) {
	if j.open.lost = j.open.lost || spoiled; j.open.lost {
		return
	}
	all := make([]folder.Opened, 0, len(j.open.all))
	for _, o := range j.open.all {
		all = append(all, o)
	}
	_ = folder.NoteOpen(j.root, j.self, j.current.number, all) // nothing rests on it
}
