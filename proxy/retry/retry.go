package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mcp-gateway/gateway"
)

// Plan is how often and how fast an exchange is made again. The zero value never
// does so.
type Plan struct {
	Tries  int            // in all
	First  time.Duration  // the longest pause after the first try; each later one is twice as long
	Most   time.Duration  // the longest pause of all
	Random func() float64 // from 0 to 1, for jitter
}

// Default is the plan of a gateway: three tries within half a second.
func Default() Plan {
	return Plan{Tries: 3, First: 100 * time.Millisecond, Most: 2 * time.Second, Random: rand.Float64}
}

// Pause is how long to wait after the n-th try, from 1: between half of a time that
// doubles and all of it, so that callers who failed together do not come back
// together.
func (p *Plan) Pause(n int) time.Duration {
	d := p.Most
	if n < 31 && p.First<<(n-1) < p.Most {
		d = p.First << (n - 1)
	}
	return d/2 + time.Duration(p.Random()*float64(d/2))
}

// Again waits until the next try and says whether there is one: the failure may
// pass, there are tries left, and the caller's time does not end meanwhile.
func (p *Plan) Again(ctx context.Context, n int, failed error) bool {
	least, transient := Transient(failed)
	if n >= p.Tries || !transient {
		return false
	}
	pause := max(p.Pause(n), least)
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Transient says whether another try may get past a failure, and how long the
// upstream wants to be left alone first. Time that ran out, a caller who left, an
// open circuit and an answer that breaks its contract are not of that class.
func Transient(err error) (least time.Duration, yes bool) {
	var e *gateway.Error
	if !errors.As(err, &e) || len(e.Reasons) == 0 || e.Code != gateway.CodeUnavailable && e.Code != gateway.CodeExecutionError {
		return 0, false
	}
	switch e.Reasons[0] {
	case "connection_broken", "no_answer", "dial_refused", "dial_failed", "session_lost", "exited",
		"http_429", "http_502", "http_503", "http_504":
		return e.RetryAfter, true
	}
	return 0, false
}
