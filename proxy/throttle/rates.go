package throttle

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"mcp-gateway/gateway"
)

// Rate is so much in a time. All of it may come at once; it is made up for evenly.
// The zero Rate is no limit.
type Rate struct {
	N   int
	Per time.Duration
}

// Rates bound what may be asked of the gateway, each where it is not zero.
type Rates struct {
	Principal   Rate            // requests of one principal, of whatever kind
	Tool        Rate            // calls of one principal to one tool
	Upstream    Rate            // calls to one upstream, whoever makes them
	Destructive Rate            // destructive calls of one principal
	Bytes       Rate            // of results to one principal
	Classes     map[string]Rate // calls of one principal that policy puts under a class, by name
}

// Kind is what is counted.
type Kind uint8

// The kinds.
const (
	Requests Kind = iota
	Calls
	UpstreamCalls
	DestructiveCalls
	ResultBytes
	ClassCalls
)

// reasons are why a kind refuses.
var reasons = [...]gateway.Reason{
	Requests: gateway.ReasonPrincipalRate, Calls: gateway.ReasonToolRate, UpstreamCalls: gateway.ReasonUpstreamRate,
	DestructiveCalls: gateway.ReasonDestructiveQuota, ResultBytes: gateway.ReasonResultBudget, ClassCalls: gateway.ReasonClassRate,
}

// Count is one place where a call counts: under a kind, for whom, and for what.
type Count struct {
	Kind      Kind
	Principal string // "" = whoever
	Of        string // the tool, upstream or class; "" = whatever
	Rate      Rate
}

// kept bounds the buckets that are remembered, some 250 bytes each. The one that
// was used longest ago makes way for a new one, which is full: a principal that
// comes back after so many others has as a rule been away longer than its rate
// looks back.
const kept = 1 << 16

// Meter counts by buckets of tokens. It is safe for concurrent use.
type Meter struct {
	mu      sync.Mutex
	buckets *lru.Cache[bucketKey, *bucket]
}

// bucketKey digests a kind, a principal and a thing: keys of one size, whatever
// names a token brings.
type bucketKey [16]byte

type bucket struct {
	rate    Rate
	limiter *rate.Limiter
}

// NewMeter returns a meter that has counted nothing.
func NewMeter() (*Meter, error) {
	buckets, err := lru.New[bucketKey, *bucket](kept)
	return &Meter{buckets: buckets}, err
}

// Take counts a call in all its places, or in none: then it returns the refusal,
// with why and when to come back. What has no limit is not counted.
func (m *Meter) Take(now time.Time, counts ...Count) *gateway.Error {
	var room [8]*rate.Reservation
	taken := room[:0]
	for _, c := range counts {
		if c.Rate.N == 0 {
			continue
		}
		wait := time.Duration(0)
		limiter := m.limiter(now, c)
		if c.Kind == ResultBytes {
			wait = owed(now, limiter)
		} else {
			r := limiter.ReserveN(now, 1)
			wait, taken = r.DelayFrom(now), append(taken, r)
		}
		if wait > 0 {
			for _, r := range taken {
				r.CancelAt(now)
			}
			e := gateway.Fail(gateway.CodeRateLimited, reasons[c.Kind])
			e.RetryAfter = wait
			return e
		}
	}
	return nil
}

// owed is how long it takes until a budget that is overdrawn holds something again.
func owed(now time.Time, l *rate.Limiter) time.Duration {
	missing := 1 - l.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / float64(l.Limit()) * float64(time.Second))
}

// Spend takes bytes that were delivered from a budget, which may be overdrawn by
// one result: its size is known only then.
func (m *Meter) Spend(now time.Time, c Count, bytes int) {
	if c.Rate.N == 0 {
		return
	}
	limiter := m.limiter(now, c)
	for bytes > 0 {
		some := min(bytes, c.Rate.N)
		limiter.ReserveN(now, some)
		bytes -= some
	}
}

// limiter returns the bucket's limiter, with the rate that holds now.
func (m *Meter) limiter(now time.Time, c Count) *rate.Limiter {
	key := c.key()
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.buckets.Get(key)
	if !ok {
		b = &bucket{rate: c.Rate, limiter: rate.NewLimiter(c.Rate.limit(), c.Rate.N)}
		m.buckets.Add(key, b)
	}
	if b.rate != c.Rate {
		b.rate = c.Rate
		b.limiter.SetLimitAt(now, c.Rate.limit())
		b.limiter.SetBurstAt(now, c.Rate.N)
	}
	return b.limiter
}

func (r Rate) limit() rate.Limit {
	if r.Per <= 0 {
		return rate.Limit(math.SmallestNonzeroFloat64)
	}
	return rate.Limit(float64(r.N) / r.Per.Seconds())
}

func (c *Count) key() bucketKey {
	text := make([]byte, 0, 256)
	text = append(text, byte(c.Kind))
	text = binary.BigEndian.AppendUint32(text, uint32(len(c.Principal)))
	text = append(append(text, c.Principal...), c.Of...)
	sum := sha256.Sum256(text)
	return bucketKey(sum[:16])
}
