package circuit

import (
	"errors"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/wire"
)

// Breaker keeps calls from an upstream that let several in a row run out of time, or
// answered them with so much that it was refused: each of them costs a caller, a slot, a
// connection or what it takes to read and refuse, and learns nothing. After a rest one
// call is let through; its answer opens the way for all. A call that its caller took
// back tells nothing. Make one with New.
type Breaker struct {
	after int           // calls in a row
	rest  time.Duration // until one is tried
	now   func() time.Time

	mu     sync.Mutex
	lost   int       // calls in a row that came to nothing
	until  time.Time // when one may be tried; zero while calls go through
	trying bool
}

// busyRetry is the least time after which a caller should come back.
const busyRetry = time.Second

// Wasteful is how many bytes of a refused answer make its call a lost one.
const Wasteful = 256 << 10

// New returns a breaker that opens after so many lost calls in a row, for a rest.
func New(after int, rest time.Duration, now func() time.Time) *Breaker {
	return &Breaker{after: after, rest: rest, now: now}
}

// Enter says whether a call may be made now; Leave must follow it.
func (b *Breaker) Enter() error {
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

// Leave takes what became of a call, and how many bytes of its answer were refused.
func (b *Breaker) Leave(err error, wasted int) {
	var e *gateway.Error
	errors.As(err, &e)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e != nil && e.Code == gateway.CodeCancelled:
		b.trying = false
	case e == nil || e.Code != gateway.CodeTimeout && wasted < Wasteful:
		b.lost, b.until, b.trying = 0, time.Time{}, false
	default:
		b.trying = false
		if b.lost++; b.lost >= b.after {
			b.until = b.now().Add(b.rest)
		}
	}
}

// Open says whether calls are kept away.
func (b *Breaker) Open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.until.IsZero()
}
