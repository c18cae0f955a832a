package post

import (
	"context"
	"time"
)

// Of what is told without waiting for more than its receipt.
const (
	Courtesy     = 5 * time.Second
	courierQueue = 64 // messages that wait
)

// Courier sends messages that have no answer, one after the other, behind the back
// of who wrote them.
type Courier struct{ queue chan []byte }

// NewCourier returns a courier that carries nothing until it runs.
func NewCourier() *Courier { return &Courier{make(chan []byte, courierQueue)} }

// Take queues a message. It never waits: a server that asks faster than it takes
// answers gets none.
func (c *Courier) Take(line []byte) {
	select {
	case c.queue <- line:
	default:
	}
}

// Run carries what is queued until ctx ends. What can't be told in time is lost.
func (c *Courier) Run(ctx context.Context, tell func(context.Context, []byte) (status int, err error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case line := <-c.queue:
			one, cancel := context.WithTimeout(ctx, Courtesy)
			_, _ = tell(one, line)
			cancel()
		}
	}
}
