package history

import (
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"

	lru "github.com/hashicorp/golang-lru/v2"
)

// keptPrincipals bounds the book: whoever called longest ago is forgotten.
const keptPrincipals = 4096

// minutes is how far back is counted: this minute and the hour before it.
const minutes = 61

// Book counts. It is safe for concurrent use.
type Book struct {
	mu    sync.Mutex
	pages *lru.Cache[string, *page]
}

// page is one principal's last hour.
type page struct{ slots [minutes]slot }

// slot is one minute.
type slot struct {
	minute                              int64
	calls, writes, destructive, refused int
	tools                               map[gateway.ItemID]int
}

// New returns a book with nothing in it.
func New() (*Book, error) {
	pages, err := lru.New[string, *page](keptPrincipals)
	return &Book{pages: pages}, err
}

// Called counts a call that is let through.
func (b *Book) Called(principal string, id gateway.ItemID, class gateway.SideEffect, at time.Time) {
	b.count(principal, at, func(s *slot) {
		s.calls++
		if s.tools == nil {
			s.tools = map[gateway.ItemID]int{}
		}
		s.tools[id]++
		if class != gateway.Read {
			s.writes++
		}
		if class == gateway.Destructive {
			s.destructive++
		}
	})
}

// Refused counts a call that is not.
func (b *Book) Refused(principal string, at time.Time) {
	b.count(principal, at, func(s *slot) { s.refused++ })
}

func (b *Book) count(principal string, at time.Time, change func(*slot)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.pages.Get(principal)
	if !ok {
		p = &page{}
		b.pages.Add(principal, p)
	}
	minute := at.Unix() / 60
	s := &p.slots[minute%minutes]
	if s.minute != minute {
		*s = slot{minute: minute}
	}
	change(s)
}

// Of returns the counts of a principal, and of one tool among them.
func (b *Book) Of(principal string, id gateway.ItemID, at time.Time) *rego.History {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := &rego.History{}
	p, ok := b.pages.Get(principal)
	if !ok {
		return h
	}
	now := at.Unix() / 60
	for i := range p.slots {
		s := &p.slots[i]
		if s.minute > now || now-s.minute >= minutes {
			continue
		}
		if now-s.minute <= 1 {
			h.CallsMinute += s.calls
		}
		h.CallsHour += s.calls
		h.ToolCallsHour += s.tools[id]
		h.WritesHour += s.writes
		h.DestructiveHour += s.destructive
		h.RefusedHour += s.refused
	}
	return h
}
