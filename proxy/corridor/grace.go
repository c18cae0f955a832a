package corridor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// grace is the context of what is settled when its host may be gone: it has the
// values of the call's and a deadline of its own. Almost nobody waits for that, and the
// timer is made for whoever does.
type grace struct {
	call context.Context
	end  time.Time
	once sync.Once
	made atomic.Pointer[timed]
}

type timed struct {
	context.Context
	cancel context.CancelFunc
}

func newGrace(call context.Context, d time.Duration) *grace {
	return &grace{call: call, end: time.Now().Add(d)}
}

// timed returns the context with its timer.
func (g *grace) timed() *timed {
	g.once.Do(func() {
		ctx, cancel := context.WithDeadline(context.WithoutCancel(g.call), g.end)
		g.made.Store(&timed{ctx, cancel})
	})
	return g.made.Load()
}

// over ends it for whoever waits.
func (g *grace) over() {
	if t := g.made.Load(); t != nil {
		t.cancel()
	}
}

// Deadline implements context.Context.
func (g *grace) Deadline() (time.Time, bool) { return g.end, true }

// Done implements context.Context.
func (g *grace) Done() <-chan struct{} { return g.timed().Done() }

// Err implements context.Context.
func (g *grace) Err() error {
	if t := g.made.Load(); t == nil && time.Now().Before(g.end) {
		return nil
	}
	return g.timed().Err()
}

// Value implements context.Context. With the timer, what derives from this context
// hangs from the timed one.
func (g *grace) Value(key any) any {
	if t := g.made.Load(); t != nil {
		return t.Value(key)
	}
	return g.call.Value(key)
}
