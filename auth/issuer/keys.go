package issuer

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Keys holds the key set of one issuer. It is fetched when the first token
// comes, and again when it is old or a token names a key that is not in it. It is
// safe for concurrent use.
type Keys struct {
	issuer, uri string
	client      *http.Client
	clock       func() time.Time

	mu      sync.Mutex
	flight  *flight // nil if the issuer is not being asked
	set     *Set    // nil until it was fetched once
	fetched time.Time
	tried   time.Time
}

// Times of a key set. A key that its issuer withdrew is good for refreshAfter at
// most, as long as the issuer is within reach; and a set is never used longer than
// staleAfter without the issuer's word.
const (
	refreshAfter = 15 * time.Minute
	staleAfter   = 24 * time.Hour
)

// NewKeys returns the keys of an issuer; uri is its jwks_uri, or "" to find it by
// discovery.
func NewKeys(issuer, uri string, client *http.Client, clock func() time.Time) *Keys {
	return &Keys{issuer: issuer, uri: uri, client: client, clock: clock}
}

// Current returns the set in use, to hold against the one by which something was
// verified; nil if there is none. It starts a refresh if the set is old.
func (k *Keys) Current() *Set {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch old := k.clock().Sub(k.fetched); {
	case k.set == nil, old >= staleAfter:
		return nil
	case old >= refreshAfter && k.flight == nil && k.due():
		k.begin()
	}
	return k.set
}

// Verify checks the signature of a compact JWS and returns the set by which it is
// good. An error is one of those that say why it is not, or a *gateway.Error with
// CodeIssuerUnavailable where the issuer can't be asked.
func (k *Keys) Verify(ctx context.Context, raw, algorithm, id string) (*Set, error) {
	set := k.Current()
	if set == nil {
		var err error
		if set, err = k.fetch(ctx); err != nil {
			return nil, err
		}
	}
	v, err := set.find(algorithm, id)
	if errors.Is(err, ErrUnknownKey) {
		next, fetchErr := k.fetch(ctx)
		if fetchErr != nil {
			return nil, fetchErr // it can't be told now
		}
		if v, err = next.find(algorithm, id); err != nil {
			return nil, err
		}
		set = next
	}
	if err != nil {
		return nil, err
	}
	return set, v.verify(raw, algorithm)
}

// due says whether the issuer may be asked again. The lock is held.
func (k *Keys) due() bool { return k.tried.IsZero() || k.clock().Sub(k.tried) >= retryAfter }

// fetch asks the issuer for its keys, once at a time and not more often than
// retryAfter; all who wait share one answer. In between, what is known is the
// answer.
func (k *Keys) fetch(ctx context.Context) (*Set, error) {
	k.mu.Lock()
	f := k.flight
	if f == nil && !k.due() {
		defer k.mu.Unlock()
		if k.set == nil || k.clock().Sub(k.fetched) >= staleAfter {
			return nil, unavailable(errTried, retryAfter-k.clock().Sub(k.tried))
		}
		return k.set, nil
	}
	if f == nil {
		f = k.begin()
	}
	k.mu.Unlock()
	select {
	case <-f.done:
		if f.err != nil {
			return nil, unavailable(f.err, retryAfter)
		}
		return f.set, nil
	case <-ctx.Done():
		return nil, unavailable(ctx.Err(), retryAfter)
	}
}

// flight is one question to the issuer, on its way.
type flight struct {
	done chan struct{}
	set  *Set
	err  error
}

// begin asks, in its own bounded time: others wait for it too. The lock is held.
func (k *Keys) begin() *flight {
	f := &flight{done: make(chan struct{})}
	k.flight, k.tried = f, k.clock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
		defer cancel()
		set, err := k.ask(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		defer close(f.done)
		k.flight, f.err = nil, err
		if err != nil {
			return
		}
		if k.set != nil && k.set.bytes == set.bytes {
			set = k.set // what was verified by it stays so
		}
		k.set, k.fetched, f.set = set, k.clock(), set
	}()
	return f
}

// ask fetches metadata, where they say where the keys are, and keys.
func (k *Keys) ask(ctx context.Context) (*Set, error) {
	at := k.uri
	if at == "" {
		m, err := Discover(ctx, k.client, k.issuer)
		if err != nil {
			return nil, err
		}
		at = m.JWKS
	}
	if at == "" {
		return nil, ErrEndpoint
	}
	raw, err := get(ctx, k.client, at)
	if err != nil {
		return nil, err
	}
	return readSet(raw)
}

var errTried = errors.New("issuer: it did not answer a moment ago")
