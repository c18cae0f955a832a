package staff

import (
	"sync"
	"time"
)

// How often a wrong key may be tried in a window.
const (
	mostBySource = 5
	mostByAll    = 50
	window       = time.Minute
)

// Tries bounds how often wrong keys may be tried, by source and by all together. It is
// safe for concurrent use; the zero value has counted nothing.
type Tries struct {
	mu    sync.Mutex
	since time.Time
	all   int
	wrong map[string]int
}

// Wait returns how long a source must wait before it may try again; 0 = it may now.
func (t *Tries) Wait(source string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(now)
	if t.wrong[source] < mostBySource && t.all < mostByAll {
		return 0
	}
	return t.since.Add(window).Sub(now)
}

// Wrong counts a wrong key.
func (t *Tries) Wrong(source string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(now)
	t.all++
	t.wrong[source]++
}

// turn begins a new window when the last one is over.
func (t *Tries) turn(now time.Time) {
	if t.wrong == nil || now.Sub(t.since) >= window {
		t.since, t.all, t.wrong = now, 0, map[string]int{}
	}
}
