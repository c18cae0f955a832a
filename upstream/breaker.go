package upstream

import (
	"errors"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/wire"
)

// breaker keeps calls from an upstream that let several in a row run out of time:
// each of them holds a caller, a slot and a connection for all of that time, and
// learns nothing. After a rest one call is let through; its answer, whatever it is,
// opens the way for all. A call that its caller took back tells nothing.
type breaker struct {
	after int           // calls in a row
	rest  time.Duration // until one is tried
	now   func() time.Time

	mu     sync.Mutex
	late   int       // calls in a row that ran out of time
	until  time.Time // when one may be tried; zero while calls go through
	trying bool
}

// enter says whether a call may be made now; leave must follow it.
func (b *breaker) enter() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	wait := b.until.Sub(b.now())
	if wait <= 0 && !b.trying {
		b.trying = true
		return nil
	}
	e := gateway.Fail(gateway.CodeUnavailable, wire.ReasonCircuit)
	e.RetryAfter = max(wait, busyRetry)
	return e
}

// leave takes what became of a call.
func (b *breaker) leave(err error) {
	var e *gateway.Error
	errors.As(err, &e)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e != nil && e.Code == gateway.CodeCancelled:
		b.trying = false
	case e == nil || e.Code != gateway.CodeTimeout:
		b.late, b.until, b.trying = 0, time.Time{}, false
	default:
		b.trying = false
		if b.late++; b.late >= b.after {
			b.until = b.now().Add(b.rest)
		}
	}
}

// open says whether calls are kept away.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.until.IsZero()
}
