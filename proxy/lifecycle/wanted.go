package lifecycle

import (
	"maps"
	"sync"
)

// Wanted are the resources that a host wants to be told about. The zero value
// wants none. It is safe for concurrent use.
type Wanted struct {
	mu      sync.Mutex
	spelled map[string]string // replaced, never written
	changed chan struct{}
}

// Add wants one more resource: its normalised URI, and how the host spelled it.
// It returns false if that would be more than most.
func (w *Wanted) Add(normal, spelled string, most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, has := w.spelled[normal]; !has && len(w.spelled) >= most {
		return false
	}
	next := maps.Clone(w.spelled)
	if next == nil {
		next = make(map[string]string, 1)
	}
	next[normal] = spelled
	w.replace(next)
	return true
}

// Remove wants a resource no more.
func (w *Wanted) Remove(normal string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, has := w.spelled[normal]; !has {
		return
	}
	next := maps.Clone(w.spelled)
	delete(next, normal)
	w.replace(next)
}

// replace tells who waits. The lock is held.
func (w *Wanted) replace(next map[string]string) {
	w.spelled = next
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// All returns what is wanted, as the host spelled it, by normalised URI, and what
// is closed once that changes. The map is shared and not to be written.
func (w *Wanted) All() (map[string]string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.spelled, w.changed
}
