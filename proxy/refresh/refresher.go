package refresh

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
)

// Bounds of the loops.
const (
	minPause   = 500 * time.Millisecond // between refreshes that an upstream can cause
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// Options are what a Refresher works with. All are required.
type Options struct {
	Registry *registry.Registry
	History  registry.History
	Journal  proxy.Journal
	Clock    func() time.Time
	// Log is told of a refresh that failed, and of a list that changed.
	Log func(upstream string, changes registry.Changes, err error)
}

// Refresher refreshes the lists of a changing set of upstreams.
type Refresher struct {
	Options
	flights singleflight.Group

	mu    sync.Mutex
	loops map[string]*loop
	wait  sync.WaitGroup
}

// loop is one upstream that is kept fresh.
type loop struct {
	upstream proxy.Upstream
	stale    chan struct{}
	stop     context.CancelFunc
}

// New returns a Refresher that refreshes nothing yet.
func New(o Options) *Refresher { return &Refresher{Options: o, loops: map[string]*loop{}} }

// Set makes these the upstreams that are kept fresh, until ctx ends. One that
// is gone is forgotten; one that is another value under the same id begins
// anew, and its last list stands until it is refreshed.
func (r *Refresher) Set(ctx context.Context, upstreams map[string]proxy.Upstream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, l := range r.loops {
		if upstreams[id] == l.upstream {
			continue
		}
		l.stop()
		delete(r.loops, id)
		if upstreams[id] == nil {
			r.Registry.Forget(id)
		}
	}
	for id, up := range upstreams {
		if r.loops[id] != nil {
			continue
		}
		loopCtx, stop := context.WithCancel(ctx)
		l := &loop{upstream: up, stale: make(chan struct{}, 1), stop: stop}
		r.loops[id] = l
		r.wait.Go(func() { r.keep(loopCtx, id, l) })
	}
}

// Wait returns when all loops have ended.
func (r *Refresher) Wait() { r.wait.Wait() }

// Stale asks for a refresh of an upstream, soon and once however often it is
// asked.
func (r *Refresher) Stale(id string) {
	r.mu.Lock()
	l := r.loops[id]
	r.mu.Unlock()
	if l == nil {
		return
	}
	select {
	case l.stale <- struct{}{}:
	default: // one is asked for already
	}
}

// Refresh fetches an upstream's list now and publishes it. Callers at the same
// time share one fetch.
func (r *Refresher) Refresh(ctx context.Context, id string) error {
	r.mu.Lock()
	l := r.loops[id]
	r.mu.Unlock()
	if l == nil {
		return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonUpstreamDown)
	}
	_, err := r.fetch(ctx, id, l.upstream)
	return err
}

// keep is the life of one loop.
func (r *Refresher) keep(ctx context.Context, id string, l *loop) {
	retry := firstRetry
	for ctx.Err() == nil {
		due, err := r.fetch(ctx, id, l.upstream)
		if err != nil {
			due = retry + rand.N(retry/4)
			retry = min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		l.rest(ctx, due)
	}
}

// rest waits until the list is due, or until something says that it is stale.
// What an upstream can say at will makes no more than one refresh in minPause.
func (l *loop) rest(ctx context.Context, due time.Duration) {
	timer := time.NewTimer(due)
	defer timer.Stop()
	free := time.NewTimer(minPause)
	defer free.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
		return
	case <-l.stale:
	case <-l.upstream.Changed():
	}
	select {
	case <-ctx.Done():
	case <-free.C:
	}
}

// fetch lists and publishes, one at a time for each upstream.
func (r *Refresher) fetch(ctx context.Context, id string, up proxy.Upstream) (time.Duration, error) {
	ttl, err, _ := r.flights.Do(id, func() (any, error) {
		listing, err := up.List(ctx)
		if err != nil {
			r.noteFailure(ctx, id, up, err)
			return time.Duration(0), err
		}
		return listing.TTL, r.publish(ctx, id, up, listing)
	})
	return ttl.(time.Duration), err
}
