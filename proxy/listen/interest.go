package listen

import (
	"context"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
)

// How often one who listens looks.
const (
	pause   = 250 * time.Millisecond // at least, between two looks: a storm is told as its last state
	recheck = time.Minute            // at most: credentials expire, policies tell the time
	again   = time.Second            // after policy gave no answer
)

// interest is one who listens, for as long as it does.
type interest struct {
	listener *Listener
	call     *call.Call // by whom and where; only Heard.Told is written
	memory   *Memory
	// tell sends a notification with the members of its params, without braces.
	tell func(method string, members []byte) error

	followed map[string]followed // by normalised URI; used by run alone
	news     chan struct{}       // of one place: updated holds something

	mu      sync.Mutex
	updated map[string]bool // by normalised URI, since the last look
}

// followed is a resource of which an upstream tells.
type followed struct {
	from  source
	leave func()
}

func (l *Listener) interest(c *call.Call, m *Memory) *interest {
	return &interest{
		listener: l, call: c, memory: m,
		followed: make(map[string]followed), news: make(chan struct{}, 1), updated: make(map[string]bool),
	}
}

// note takes what is seen now for what the host knows.
func (x *interest) note(ctx context.Context) {
	now, end, err := x.listener.stand(ctx, x.call)
	if end == "" && err == nil {
		x.memory.learn(x.listener.prints.of(now.catalog.Snapshot).seen(now.view, x.call.Scope))
	} // else run finds out what is the matter
}

// run tells what changes until there is nothing to be told any more, and returns
// why.
func (x *interest) run(ctx context.Context) gateway.Reason {
	defer x.follow(nil)
	for {
		wanted, changed := x.call.Heard.Wanted.All()
		now, end, err := x.listener.stand(ctx, x.call)
		if end != "" {
			return end
		}
		due := again
		if err == nil {
			due = recheck
			if x.report(ctx, now, wanted) != nil {
				return gateway.ReasonHostLeft
			}
		}
		if end := x.rest(ctx, now, changed, due); end != "" {
			return end
		}
	}
}

// report tells what became different since the last look.
func (x *interest) report(ctx context.Context, now *standing, wanted map[string]string) error {
	seen := x.listener.prints.of(now.catalog.Snapshot).seen(now.view, x.call.Scope)
	for i, different := range x.memory.learn(seen) {
		if !different || !*topics[i].of(&x.call.Heard) {
			continue
		}
		if err := x.send(topics[i].method, nil); err != nil {
			return err
		}
	}
	x.follow(x.sources(now, wanted))
	for normal := range x.take() {
		spelled, still := wanted[normal]
		if !still {
			continue
		}
		if _, err := now.resource(ctx, normal); err != nil {
			continue // it may not be read any more
		}
		if err := x.send(protocol.NotificationResourceUpdated, protocol.AppendString([]byte(`"uri":`), spelled)); err != nil {
			return err
		}
	}
	return nil
}

func (x *interest) send(method string, members []byte) error {
	err := x.tell(method, members)
	if err == nil {
		x.call.Heard.Told++
	}
	return err
}

// sources finds who tells of what is wanted, as far as it is visible.
func (x *interest) sources(now *standing, wanted map[string]string) map[string]source {
	from := make(map[string]source, len(wanted))
	for normal := range wanted {
		p, missing := now.catalog.ReachURI(x.call.Scope, normal, now.view.Has)
		if missing != "" || !now.view.Has(p.Item().Index) {
			continue
		}
		if up := now.world.Upstreams[p.Item().ID.Upstream]; up != nil {
			from[normal] = source{up, p.Item().Spelled(normal)}
		}
	}
	return from
}

// follow joins and leaves feeds, so that these are followed and no others.
func (x *interest) follow(from map[string]source) {
	for normal, f := range x.followed {
		if from[normal] != f.from {
			f.leave()
			delete(x.followed, normal)
		}
	}
	for normal, s := range from {
		if _, has := x.followed[normal]; !has {
			x.followed[normal] = followed{s, x.listener.feeds.join(s, func() { x.hear(normal) })}
		}
	}
}

// hear notes that a resource was updated.
func (x *interest) hear(normal string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.updated[normal] = true
	select {
	case x.news <- struct{}{}:
	default: // it is known that there are some
	}
}

// take returns what was updated since it was asked last.
func (x *interest) take() map[string]bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	taken := x.updated
	x.updated = make(map[string]bool)
	return taken
}

// rest waits until there may be something to tell; a reason says that there never
// will be. What is newly wanted is followed at once, everything else after a pause.
func (x *interest) rest(ctx context.Context, now *standing, changed <-chan struct{}, due time.Duration) gateway.Reason {
	timer, free := time.NewTimer(due), time.NewTimer(pause)
	defer timer.Stop()
	defer free.Stop()
	select {
	case <-ctx.Done():
		return gateway.ReasonHostLeft
	case <-x.listener.stopped:
		return gateway.ReasonStopping
	case <-changed:
		return ""
	case <-now.replaced:
	case <-now.superseded:
	case <-x.news:
	case <-timer.C:
	}
	select {
	case <-ctx.Done():
		return gateway.ReasonHostLeft
	case <-x.listener.stopped:
		return gateway.ReasonStopping
	case <-changed:
	case <-free.C:
	}
	return ""
}
