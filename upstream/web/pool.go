package web

import (
	"context"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/session"
	"mcp-gateway/upstream/wire"
)

// credential names the context in whose right a session was made. No session
// serves two of them.
type credential string

// own is the upstream's own credential, with which the gateway itself appears.
const own credential = ""

// pool is the way to a legacy server: a session for each credential.
type pool struct {
	link *Link

	mu     sync.Mutex
	slots  map[credential]*slot
	closed bool
}

// slot is one place in a pool. Whoever holds its turn may look at the rest.
type slot struct {
	turn    chan struct{}    // holds one token while nobody has the turn
	session *session.Session // nil until it is made
	closed  bool
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
	return &pool{link: l, slots: map[credential]*slot{own: newSlot(s)}}, nil
}

func (l *Link) initialise(ctx context.Context) (*session.Session, error) {
	return session.Open(ctx, session.Options{
		Server: l.server, Terms: l.terms(), Version: l.opts.Version, Rules: l.rules, Backoff: l.opts.Backoff,
	})
}

// Exchange implements way. A session that the server lost is made anew once,
// and the request is then repeated: that the server knew no such session proves
// that it did nothing.
func (p *pool) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	s, err := p.session(ctx, own)
	if err != nil {
		return protocol.Incoming{}, err
	}
	in, err := s.Exchange(ctx, out, limit)
	if child.ReasonOf(err) != wire.ReasonSession {
		return in, err
	}
	if s, err = p.session(ctx, own); err != nil {
		return protocol.Incoming{}, err
	}
	return s.Exchange(ctx, out, limit)
}

// session returns the session of a credential, a new one if the server lost it.
// Whoever comes while it is being made waits for that one.
func (p *pool) session(ctx context.Context, key credential) (*session.Session, error) {
	place := p.slot(key)
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
	s, err := step(p.link, p.link.initialise) // in its own time: others wait for it too
	if err != nil {
		return nil, err
	}
	if place.session != nil {
		place.session.Close()
	}
	place.session = s
	p.link.again(p, s.Peer())
	return s, nil
}

func (p *pool) slot(key credential) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := p.slots[key]
	if place == nil {
		place = newSlot(nil)
		place.closed = p.closed
		p.slots[key] = place
	}
	return place
}

// Close implements way.
func (p *pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, place := range p.slots {
		<-place.turn
		if place.closed = true; place.session != nil {
			place.session.Close()
		}
		place.turn <- struct{}{}
	}
}
