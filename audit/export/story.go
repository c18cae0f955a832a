package export

import (
	"mcp-gateway/audit"
)

// Story is one action or other event: First, and Last where a later event
// settled it, else nil.
type Story struct {
	First *audit.Event
	Last  *audit.Event
}

// ended is the event that says how it stands: the last one.
func (s Story) ended() *audit.Event {
	if s.Last != nil {
		return s.Last
	}
	return s.First
}

// Stories joins events as they are read: a decided call waits for its end.
type Stories struct {
	open  map[audit.ID]*audit.Event
	order []audit.ID
}

// NewStories returns Stories in which nothing is open.
func NewStories() *Stories { return &Stories{open: map[audit.ID]*audit.Event{}} }

// Add takes the next event and returns the story that it completes, if any. It
// keeps a copy of what must wait.
func (s *Stories) Add(e *audit.Event) (Story, bool) {
	copied := *e
	switch e.Type {
	case audit.ToolDecided, audit.SubscriptionOpened:
		s.open[e.Action] = &copied
		s.order = append(s.order, e.Action)
		return Story{}, false
	case audit.ToolFinished, audit.ToolOrphaned, audit.ToolRefused, audit.SubscriptionClosed:
		if first := s.open[e.Action]; first != nil {
			delete(s.open, e.Action)
			return Story{first, &copied}, true
		}
	}
	return Story{First: &copied}, true
}

// Rest returns what was never settled, in the order in which it began.
func (s *Stories) Rest() []Story {
	var rest []Story
	for _, id := range s.order {
		if first := s.open[id]; first != nil {
			rest = append(rest, Story{First: first})
		}
	}
	return rest
}
