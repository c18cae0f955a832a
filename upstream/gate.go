package upstream

import (
	"context"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/upstream/wire"
)

// busyRetry is when a caller that was turned away should come back.
const busyRetry = time.Second

// gate lets a bounded number of calls through at a time, and a bounded number
// wait, so that a slow upstream can't collect all that its callers send.
type gate struct {
	slots   chan struct{}
	waiting atomic.Int64
	queue   int64
}

func newGate(inFlight, queue int) *gate {
	return &gate{slots: make(chan struct{}, inFlight), queue: int64(queue)}
}

// enter takes a slot, for leave to give back.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.queue {
		e := gateway.Fail(gateway.CodeUnavailable, wire.ReasonBusy)
		e.RetryAfter = busyRetry
		return e
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		if e := wire.Ended(ctx); e.Code == gateway.CodeCancelled {
			return e
		}
		return gateway.Because(gateway.CodeUnavailable, ctx.Err(), wire.ReasonBusy)
	}
}

func (g *gate) leave() { <-g.slots }
