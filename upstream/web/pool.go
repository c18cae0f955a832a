package web

import (
	"context"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/credential"
	"mcp-gateway/upstream/session"
	"mcp-gateway/upstream/wire"
)

// own is the gateway itself, with its own credential.
const own = ""

// maxSessions bounds the sessions of one pool: those of principals that are not
// busy make way for others.
const maxSessions = 256

// pool is the way to a legacy server: a session for each principal in whose right
// it is called, and one for the gateway itself. No session serves two of them.
type pool struct {
	link *Link

	mu     sync.Mutex
	slots  map[string]*slot // by principal
	closed bool
	work   sync.WaitGroup // sessions that are being ended
}

// slot is one place in a pool. Whoever holds its turn may look at the session.
type slot struct {
	turn    chan struct{}    // holds one token while nobody has the turn
	session *session.Session // nil until it is made
	closed  bool

	// Guarded by pool.mu.
	busy int       // exchanges under way
	used time.Time // when the last one began
	news int       // how often what answered was another than before
}

func newSlot(s *session.Session) *slot {
	p := &slot{turn: make(chan struct{}, 1), session: s}
	p.turn <- struct{}{}
	return p
}

// newPool returns a pool that has made its first session.
func newPool(ctx context.Context, l *Link) (*pool, error) {
	s, err := l.initialise(ctx)
	if err != nil {
		return nil, err
	}
	return &pool{link: l, slots: map[string]*slot{own: newSlot(s)}}, nil
}

// initialise makes a session for whom the context is.
func (l *Link) initialise(ctx context.Context) (*session.Session, error) {
	return session.Open(ctx, session.Options{
		Server: l.server, Terms: l.terms(), Version: l.opts.Version, Rules: l.rules, Backoff: l.opts.Backoff,
		Behalf: credential.Behalf(ctx),
	})
}

// Exchange implements way. A session that the server lost is made anew once,
// and the request is then repeated: that the server knew no such session proves
// that it did nothing. What says of itself what it did not say before is not sent it.
func (p *pool) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	place, news, err := p.enter(out.Behalf.Principal)
	if err != nil {
		return protocol.Incoming{}, err
	}
	defer p.leave(place)
	s, err := p.same(ctx, place, news)
	if err != nil {
		return protocol.Incoming{}, err
	}
	in, err := s.Exchange(ctx, out, limit)
	if child.ReasonOf(err) != wire.ReasonSession {
		return in, err
	}
	if s, err = p.same(ctx, place, news); err != nil {
		return protocol.Incoming{}, err
	}
	return s.Exchange(ctx, out, limit)
}

// same is session, for an exchange that began before the news: it ends when there are
// some.
func (p *pool) same(ctx context.Context, place *slot, news int) (*session.Session, error) {
	s, err := p.session(ctx, place)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if place.news != news {
		return nil, gateway.Fail(gateway.CodeUnavailable, gateway.ReasonIdentityChanged)
	}
	return s, nil
}

// session returns the session of a place, a new one if the server lost it.
// Whoever comes while it is being made waits for that one.
func (p *pool) session(ctx context.Context, place *slot) (*session.Session, error) {
	select {
	case <-place.turn:
		defer func() { place.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, wire.Ended(ctx)
	}
	if s := place.session; s != nil && !s.Lost() {
		return s, nil
	}
	if place.closed {
		return nil, gateway.Fail(gateway.CodeUnavailable, wire.ReasonClosed)
	}
	on := credential.Behalf(ctx)
	s, err := step(p.link, func(ctx context.Context) (*session.Session, error) { // in its own time: others wait for it too
		return p.link.initialise(credential.For(ctx, on))
	})
	if err != nil {
		return nil, err
	}
	peer, news := s.Peer(), false
	if before := place.session; before != nil {
		was := before.Peer()
		news = !was.Alike(&peer)
		before.Close()
	}
	place.session = s
	if on.Principal == own || news {
		p.link.again(p, peer)
	}
	if news {
		p.mu.Lock()
		place.news++
		p.mu.Unlock()
	}
	return s, nil
}

// enter takes the place of a principal, a new one where there is none.
// It says how much news there was of it.
func (p *pool) enter(principal string) (_ *slot, news int, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := p.slots[principal]
	if place == nil {
		if len(p.slots) >= maxSessions && !p.evict() {
			return nil, 0, gateway.Fail(gateway.CodeUnavailable, wire.ReasonBusy)
		}
		place = newSlot(nil)
		place.closed = p.closed
		p.slots[principal] = place
	}
	place.busy++
	place.used = time.Now()
	return place, place.news, nil
}

func (p *pool) leave(place *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	place.busy--
}

// evict ends the session of the principal that was idle longest, and reports
// whether there was one. The lock is held.
func (p *pool) evict() bool {
	var oldest string
	for principal, place := range p.slots {
		if principal != own && place.busy == 0 && (oldest == "" || place.used.Before(p.slots[oldest].used)) {
			oldest = principal
		}
	}
	if oldest == "" {
		return false
	}
	place := p.slots[oldest]
	delete(p.slots, oldest)
	p.work.Go(func() { end(place) })
	return true
}

// end closes a place for good.
func end(place *slot) {
	<-place.turn
	defer func() { place.turn <- struct{}{} }()
	if place.closed = true; place.session != nil {
		place.session.Close()
	}
}

// Close implements way.
func (p *pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, place := range p.slots {
		end(place)
	}
	p.work.Wait()
}
