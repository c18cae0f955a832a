package refresh

import (
	"context"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
)

// loop is one upstream that is kept fresh.
type loop struct {
	id       string
	upstream proxy.Upstream
	ctx      context.Context // ends with the loop
	stop     context.CancelFunc
	stale    chan struct{}
	gone     map[gateway.ItemID]bool // what left the list, as events told; used by the flight alone
	partial  bool                    // the last list was; likewise
	listed   time.Time               // when the last one was asked for; likewise

	mu     sync.Mutex
	flight *flight // under way; nil = none
	next   *flight // that begins after it; nil = nobody wants one
	closed bool    // none begins any more

	publishing sync.Mutex
	over       bool // another one has its place: nothing is published any more
}

// flight is one fetch, for all who wait for it.
type flight struct {
	done chan struct{} // closed once the rest is known
	ttl  time.Duration
	err  error
}

// end ends the loop. Nothing of its upstream is published once it has returned.
func (l *loop) end() {
	l.stop()
	l.publishing.Lock()
	defer l.publishing.Unlock()
	l.over = true
}

// publish hands a list to the registry, unless the loop is over.
func (l *loop) publish(r *registry.Registry, list registry.Listing) (registry.Changes, error) {
	l.publishing.Lock()
	defer l.publishing.Unlock()
	if l.over {
		return registry.Changes{}, context.Canceled
	}
	return r.Publish(l.id, list)
}

// close waits for the flight that is under way; none follows. The loop's context
// has ended.
func (l *loop) close() {
	l.mu.Lock()
	l.closed = true
	f := l.flight
	l.mu.Unlock()
	if f != nil {
		<-f.done
	}
}

// rest waits until the list is due, or until something says that it is stale.
// What an upstream can say at will makes no more than one refresh in minPause.
func (l *loop) rest(due time.Duration) {
	timer := time.NewTimer(due)
	defer timer.Stop()
	free := time.NewTimer(minPause)
	defer free.Stop()
	select {
	case <-l.ctx.Done():
		return
	case <-timer.C:
		return
	case <-l.stale:
	case <-l.upstream.Changed():
	}
	select {
	case <-l.ctx.Done():
	case <-free.C:
	}
}

// hush takes what was said so far.
func (l *loop) hush() {
	for {
		select {
		case <-l.stale:
		case <-l.upstream.Changed():
		default:
			return
		}
	}
}
