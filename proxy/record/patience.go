package record

import (
	"context"
	"sync"
	"time"
)

// fraction of a limit by which a wait may be shorter than that.
const fraction = 8

// waits gives the contexts in which events become durable. Calls that come within a
// fraction of the limit share one, which ends when the first of them has waited for
// the whole of it: so none waits longer, and few calls need a timer of their own.
type waits struct {
	mu     sync.Mutex
	limit  time.Duration
	fresh  time.Time // until when it is given out
	shared *wait
}

// within returns a context that ends in at most the limit.
func (w *waits) within(limit time.Duration) context.Context {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shared == nil || w.limit != limit || !now.Before(w.fresh) {
		w.limit, w.fresh, w.shared = limit, now.Add(limit/fraction), newWait(now.Add(limit))
	}
	return w.shared
}

// wait is a context with a deadline that nobody can end before that.
type wait struct {
	context.Context // the background
	end             time.Time
	done            chan struct{}
}

func newWait(end time.Time) *wait {
	w := &wait{Context: context.Background(), end: end, done: make(chan struct{})}
	time.AfterFunc(time.Until(end), func() { close(w.done) })
	return w
}

// Deadline implements context.Context.
func (w *wait) Deadline() (time.Time, bool) { return w.end, true }

// Done implements context.Context.
func (w *wait) Done() <-chan struct{} { return w.done }

// Err implements context.Context.
func (w *wait) Err() error {
	select {
	case <-w.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
