package throttle

import (
	"sync"
	"time"

	"mcp-gateway/gateway"
)

// Retry is what a throttled host is told to wait.
const Retry = time.Second

// Slots count what is under way by key, so that one principal cannot take all.
type Slots struct {
	mu    sync.Mutex
	taken map[string]int
}

// NewSlots returns slots of which none is taken.
func NewSlots() *Slots { return &Slots{taken: make(map[string]int)} }

// Enter takes a slot of key if fewer than limit are taken; leave gives it back.
func (s *Slots) Enter(key string, limit int) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[key] >= limit {
		return nil, false
	}
	s.taken[key]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.taken[key]--; s.taken[key] == 0 {
			delete(s.taken, key)
		}
	}, true
}

// Floods count the refusals of strangers, unauthenticated and throttled, so
// that they cost one event per second and source and can't fill the disk.
type Floods struct {
	mu      sync.Mutex
	counted map[Flood]int
}

// Flood is what one event counts.
type Flood struct {
	Source string
	Code   gateway.Code
}

// maxFloods bounds what one second may hold; sources beyond it share one entry.
const maxFloods = 1024

// NewFloods returns an empty count.
func NewFloods() *Floods { return &Floods{counted: make(map[Flood]int)} }

// Count notes one refusal.
func (f *Floods) Count(source string, code gateway.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := Flood{source, code}
	if f.counted[key] == 0 && len(f.counted) >= maxFloods {
		key.Source = "others"
	}
	f.counted[key]++
}

// Take returns what was counted and starts anew.
func (f *Floods) Take() map[Flood]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.counted) == 0 {
		return nil
	}
	taken := f.counted
	f.counted = make(map[Flood]int)
	return taken
}
