package stdio

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/wire"
)

// Options say which process to speak to and how. Zero values mean the defaults
// named with each field.
type Options struct {
	Child        child.Options // OnDown is the link's own
	Terms        wire.Terms
	Version      string        // of the gateway, for clientInfo
	ProbeTimeout time.Duration // for server/discover, before initialize is tried; 4 s
	StartTimeout time.Duration // for the introduction that decides; 60 s
	Depth        int           // of JSON; the protocol package's default

	Relay map[string]bool // methods that a legacy server may ask of a host; declared to it

	// The callbacks must not call the link.
	OnUp func(wire.Peer) // each time it is met; nil for none
	// OnDown is told of each failure, in more detail where there is any (child.WordOf),
	// with the time to the next try; nil for none.
	OnDown func(reason, word gateway.Reason, wait time.Duration)
	OnNote func(method string, params []byte) // it told of a change: list_changed or updated; nil for none
}

// Link is an upstream that is a child process. Close it.
type Link struct {
	opts Options
	sup  *child.Supervisor
	pace *rate.Limiter // of whatever process is run

	mu      sync.Mutex
	session *session       // nil while none is ready
	down    gateway.Reason // why, after a failure; "" at first
	retryAt time.Time
	turned  chan struct{} // closed and replaced when one of these changes
	closed  bool

	// What processes taught about the next one; only the supervisor's
	// goroutine uses these.
	skipProbe bool // the last one ended on server/discover or stayed silent
	slowProbe bool // the last one answered it, but late

	Counters exchange.Counters
}

// New starts the process and returns at once; Exchange waits for it.
func New(opts Options) *Link {
	if opts.ProbeTimeout <= 0 {
		opts.ProbeTimeout = 4 * time.Second
	}
	if opts.StartTimeout <= 0 {
		opts.StartTimeout = time.Minute
	}
	if opts.Child.LineLimit <= 0 {
		opts.Child.LineLimit = 16 << 20
	}
	l := &Link{pace: exchange.NewPace(), opts: opts, turned: make(chan struct{})}
	opts.Child.OnDown = l.wentDown
	l.sup = child.Supervise(opts.Child, l.serve)
	return l
}

// serve is the session of one process, from meeting it to its end.
func (l *Link) serve(ctx context.Context, p *child.Process) error {
	s := newSession(l, p)
	ended := make(chan error, 1)
	go func() {
		err := p.Messages(s.line.Dispatch)
		s.line.End(err)
		ended <- err
	}()
	defer func() {
		p.Stop()
		s.line.End(gateway.Fail(gateway.CodeUnavailable, child.ReasonStopped))
	}()
	peer, err := s.meet(ctx)
	if err != nil {
		return err
	}
	l.opts.Terms.Before = peer.Revision // from now on nothing less
	peer.Confined = p.Confined().String()
	s.peer = peer
	l.cameUp(s, peer)
	defer l.forget()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cameUp tells and serves in one, so that whoever is served can see as what,
// and whoever is told is served; wentDown likewise.
func (l *Link) cameUp(s *session, peer wire.Peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opts.OnUp != nil {
		l.opts.OnUp(peer)
	}
	l.session, l.down = s, ""
	l.turn()
}

func (l *Link) forget() {
	l.mu.Lock()
	l.session = nil
	l.turn()
	l.mu.Unlock()
}

func (l *Link) wentDown(err error, wait time.Duration) {
	reason := child.ReasonOf(err)
	if reason == "" {
		reason = wire.ReasonProbeError
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opts.OnDown != nil {
		l.opts.OnDown(reason, child.WordOf(err), wait)
	}
	l.down, l.retryAt = reason, time.Now().Add(wait)
	l.turn()
}

// turn wakes those who wait for a change; mu is held.
func (l *Link) turn() {
	close(l.turned)
	l.turned = make(chan struct{})
}

// ready returns the session once there is one. While the upstream is first
// being met it waits; after a failure it refuses at once until it is up again.
func (l *Link) ready(ctx context.Context) (*session, error) {
	for {
		l.mu.Lock()
		s, down, wait, turned, closed := l.session, l.down, time.Until(l.retryAt), l.turned, l.closed
		l.mu.Unlock()
		switch {
		case closed:
			return nil, gateway.Fail(gateway.CodeUnavailable, wire.ReasonClosed)
		case s != nil:
			return s, nil
		case down != "":
			e := gateway.Fail(gateway.CodeUnavailable, down)
			e.RetryAfter = max(wait, time.Second)
			return nil, e
		}
		select {
		case <-turned:
		case <-ctx.Done():
			if e := wire.Ended(ctx); e.Code == gateway.CodeCancelled {
				return nil, e
			}
			return nil, gateway.Because(gateway.CodeUnavailable, ctx.Err(), wire.ReasonConnecting)
		}
	}
}

// Ready waits until the upstream is met; an error says why it is not.
func (l *Link) Ready(ctx context.Context) error {
	_, err := l.ready(ctx)
	return err
}

// Exchange sends one request and returns its answer, of at most limit bytes.
func (l *Link) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	s, err := l.ready(ctx)
	if err != nil {
		return protocol.Incoming{}, err
	}
	return s.exchange(ctx, out, limit)
}

// Child returns the state of the process.
func (l *Link) Child() child.Status { return l.sup.Status() }

// Stderr returns the last lines of the process's stderr, cleaned.
func (l *Link) Stderr() []string { return l.sup.Stderr() }

// Close ends the process with its group, within its grace.
func (l *Link) Close() {
	l.mu.Lock()
	l.closed = true
	l.turn()
	l.mu.Unlock()
	l.sup.Close()
}
