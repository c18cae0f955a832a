package call

import "sync/atomic"

// Worlds holds the settings in force, and tells who waits when they are
// replaced. The zero value holds none. It is safe for concurrent use.
type Worlds struct{ held atomic.Pointer[held] }

type held struct {
	world    *World
	replaced chan struct{}
}

// Set puts a world in force.
func (w *Worlds) Set(world *World) {
	if before := w.held.Swap(&held{world, make(chan struct{})}); before != nil {
		close(before.replaced)
	}
}

// Get returns the world in force.
func (w *Worlds) Get() *World { return w.held.Load().world }

// Watch returns the world in force and what is closed once another one is.
func (w *Worlds) Watch() (*World, <-chan struct{}) {
	h := w.held.Load()
	return h.world, h.replaced
}
