package child

import (
	"math/rand/v2"
	"time"
)

// Backoff is an exponential back-off with jitter. The zero value waits 500 ms
// after the first failure, doubling up to one minute.
type Backoff struct {
	Min, Max time.Duration
	Rand     func() float64 // in [0, 1); nil = math/rand/v2
}

// After returns how long to wait after the n-th failure in a row, n from 1: a
// random time in the upper half of min(Max, Min·2ⁿ⁻¹), so that many upstreams
// which fell together do not rise together.
func (b Backoff) After(n int) time.Duration {
	low, high := orDuration(b.Min, 500*time.Millisecond), orDuration(b.Max, time.Minute)
	wait := low
	for i := 1; i < n && wait < high; i++ {
		wait *= 2
	}
	wait = min(wait, high)
	random := rand.Float64
	if b.Rand != nil {
		random = b.Rand
	}
	return wait/2 + time.Duration(random()*float64(wait/2))
}
