package listen

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"mcp-gateway/proxy/call"
)

// Bounds of how soon an upstream is asked again that can't tell of a resource.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// feeds are the resources of which upstreams tell: each is asked once, however
// many want it. The zero value is ready; it is safe for concurrent use.
type feeds struct {
	mu   sync.Mutex
	open map[source]*feed
}

// source is one resource of one upstream, as it is reached now.
type source struct {
	upstream call.Upstream
	uri      string // as the upstream spells it
}

// feed is one source that is watched.
type feed struct {
	stop context.CancelFunc
	ears map[*ear]bool // guarded by feeds.mu
}

// ear is one who wants a feed; heard must not block.
type ear struct{ heard func() }

// join hears of a resource until leave is called.
func (f *feeds) join(from source, heard func()) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = make(map[source]*feed)
	}
	one := f.open[from]
	if one == nil {
		ctx, stop := context.WithCancel(context.Background())
		one = &feed{stop: stop, ears: make(map[*ear]bool)}
		f.open[from] = one
		go f.keep(ctx, from, one)
	}
	e := &ear{heard}
	one.ears[e] = true
	return func() { f.leave(from, one, e) }
}

// leave ends the feed with the last who wants it.
func (f *feeds) leave(from source, one *feed, e *ear) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(one.ears, e)
	if len(one.ears) == 0 && f.open[from] == one {
		one.stop()
		delete(f.open, from)
	}
}

// keep watches until the feed is stopped, and begins anew where the upstream
// gave up: it alone is asked less and less often.
func (f *feeds) keep(ctx context.Context, from source, one *feed) {
	retry := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		_ = from.upstream.Watch(ctx, from.uri, func() { f.tell(one) }) // its room says why it is down
		if time.Since(began) > lastRetry {
			retry = firstRetry
		}
		again := time.NewTimer(retry + rand.N(retry/4))
		select {
		case <-ctx.Done():
		case <-again.C:
		}
		again.Stop()
		retry = min(2*retry, lastRetry)
	}
}

func (f *feeds) tell(one *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range one.ears {
		e.heard()
	}
}
