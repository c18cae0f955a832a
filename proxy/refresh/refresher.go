package refresh

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

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

	mu    sync.Mutex
	ages  bool // sunsets are waited for
	loops map[string]*loop
	wait  sync.WaitGroup
}

// New returns a Refresher that refreshes nothing yet.
func New(o Options) *Refresher { return &Refresher{Options: o, loops: map[string]*loop{}} }

// Set makes these the upstreams that are kept fresh, until ctx ends. One that
// is gone is forgotten; one that is another value under the same id begins
// anew, and its last list stands until it is refreshed.
func (r *Refresher) Set(ctx context.Context, upstreams map[string]proxy.Upstream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ages {
		r.ages = true
		r.wait.Go(func() { r.age(ctx) })
	}
	for id, l := range r.loops {
		if upstreams[id] == l.upstream {
			continue
		}
		l.end()
		delete(r.loops, id)
		if upstreams[id] == nil {
			r.Registry.Forget(id)
		}
	}
	for id, up := range upstreams {
		if r.loops[id] != nil {
			continue
		}
		l := &loop{id: id, upstream: up, stale: make(chan struct{}, 1), gone: map[gateway.ItemID]bool{}}
		l.ctx, l.stop = context.WithCancel(ctx)
		r.loops[id] = l
		first := r.begin(l) // before anyone can ask: who asks next gets one that began later
		r.wait.Go(func() { r.keep(l, first) })
	}
}

// Bounds of the wait for a sunset: reviews may name an earlier one meanwhile.
const (
	shortestWait = 50 * time.Millisecond
	longestWait  = 10 * time.Second
)

// age retires what is deprecated on the day that its review names, whether or not its
// upstream gives a list then.
func (r *Refresher) age(ctx context.Context) {
	for {
		timer := time.NewTimer(max(shortestWait, r.Registry.Sunset(longestWait)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if changes := r.Registry.Age(); changes.Any {
			if err := r.Record(ctx, changes, nil); err != nil {
				r.Log("", changes, err)
			}
		}
	}
}

// Wait returns when all loops have ended, and what they fetched.
func (r *Refresher) Wait() { r.wait.Wait() }

func (r *Refresher) loop(id string) *loop {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loops[id]
}

// Stale asks for a refresh of an upstream, soon and once however often it is
// asked.
func (r *Refresher) Stale(id string) {
	l := r.loop(id)
	if l == nil {
		return
	}
	select {
	case l.stale <- struct{}{}:
	default: // one is asked for already
	}
}

// Refresh fetches an upstream's list, from now on, and publishes it. Callers at
// the same time share one fetch, which goes on when one of them leaves.
func (r *Refresher) Refresh(ctx context.Context, id string) error {
	l := r.loop(id)
	if l == nil {
		return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonUpstreamDown)
	}
	f := r.fetch(l)
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin fetches for the loop itself, which answers all that was said so far.
func (r *Refresher) begin(l *loop) *flight {
	l.hush()
	return r.fetch(l)
}

// keep is the life of one loop, whose first fetch is under way.
func (r *Refresher) keep(l *loop, f *flight) {
	retry := firstRetry
	for ; l.ctx.Err() == nil; f = r.begin(l) {
		<-f.done
		due := f.ttl
		if f.err != nil {
			due = retry + rand.N(retry/4)
			retry = min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		l.rest(due)
	}
	l.close()
}

// fetch lists and publishes, one at a time for each upstream. What is under way
// may be older than what the caller knows: it shares the next one with all who
// come meanwhile.
func (r *Refresher) fetch(l *loop) *flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = &flight{done: make(chan struct{})}
	}
	f := l.next
	if l.flight == nil {
		r.depart(l)
	}
	return f
}

// depart lets the next flight begin, if any waits for it. The lock is held.
func (r *Refresher) depart(l *loop) {
	f := l.next
	l.flight, l.next = f, nil
	switch {
	case f == nil:
	case l.closed:
		f.err = l.ctx.Err()
		l.flight = nil
		close(f.done)
	default:
		go func() {
			f.ttl, f.err = r.list(l)
			close(f.done)
			l.mu.Lock()
			defer l.mu.Unlock()
			r.depart(l)
		}()
	}
}

func (r *Refresher) list(l *loop) (time.Duration, error) {
	asked := r.Clock()
	listing, err := l.upstream.List(l.ctx)
	switch {
	case l.ctx.Err() != nil:
		return 0, l.ctx.Err() // nobody's fault, and nothing to be kept
	case err != nil:
		r.noteFailure(l, err)
		return 0, err
	}
	return listing.TTL, r.publish(l, listing, asked)
}
