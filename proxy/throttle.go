package proxy

import (
	"sync"
	"time"

	"mcp-gateway/gateway"
)

// throttleRetry is what a throttled host is told to wait.
const throttleRetry = time.Second

// slots count what is under way by key, so that one principal cannot take all.
type slots struct {
	mu    sync.Mutex
	taken map[string]int
}

func newSlots() *slots { return &slots{taken: make(map[string]int)} }

// enter takes a slot of key if fewer than limit are taken; leave gives it back.
func (s *slots) enter(key string, limit int) (leave func(), ok bool) {
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

// floods count the refusals of strangers, unauthenticated and throttled, so
// that they cost one event per second and source and can't fill the disk.
type floods struct {
	mu      sync.Mutex
	counted map[flood]int
}

// flood is what one event counts.
type flood struct {
	source string
	code   gateway.Code
}

// maxFloods bounds what one second may hold; sources beyond it share one entry.
const maxFloods = 1024

func newFloods() *floods { return &floods{counted: make(map[flood]int)} }

func (f *floods) count(source string, code gateway.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := flood{source, code}
	if f.counted[key] == 0 && len(f.counted) >= maxFloods {
		key.source = "others"
	}
	f.counted[key]++
}

// take returns what was counted and starts anew.
func (f *floods) take() map[flood]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.counted) == 0 {
		return nil
	}
	taken := f.counted
	f.counted = make(map[flood]int)
	return taken
}
