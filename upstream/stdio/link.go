package stdio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
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

	OnUp      func(wire.Peer)                                 // each time it is met; nil for none
	OnDown    func(reason gateway.Reason, wait time.Duration) // each failure, with the time to the next try; nil for none
	OnChanged func()                                          // it said that its tools changed; nil for none
}

// Link is an upstream that is a child process. Close it.
type Link struct {
	opts Options
	sup  *child.Supervisor

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

	Counters Counters
}

// Counters count what an upstream sent that nobody had asked for.
type Counters struct {
	Stray         atomic.Int64 // responses to no request of ours, or to one already answered or given up
	Unreadable    atomic.Int64 // lines that began like a message and were none
	Refused       atomic.Int64 // requests of the upstream, answered with -32601
	Notifications atomic.Int64 // progress, logging and the like, not passed on
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
	l := &Link{opts: opts, turned: make(chan struct{})}
	opts.Child.OnDown = l.wentDown
	l.sup = child.Supervise(opts.Child, l.serve)
	return l
}

// serve is the session of one process, from meeting it to its end.
func (l *Link) serve(ctx context.Context, p *child.Process) error {
	s := newSession(l, p)
	ended := make(chan error, 1)
	go func() {
		err := p.Messages(s.dispatch)
		s.end(err)
		ended <- err
	}()
	defer func() {
		p.Stop()
		s.end(gateway.Fail(gateway.CodeUnavailable, child.ReasonStopped))
	}()
	peer, err := s.meet(ctx)
	if err != nil {
		return err
	}
	if peer.Era == wire.Modern {
		l.opts.Terms.WasModern = true // from now on nothing less
	}
	if peer.Era == wire.Modern && peer.ListChanged {
		s.listen()
	}
	l.cameUp(s, peer)
	defer l.forget()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cameUp tells first and serves then, so that whoever was served can see as
// what; wentDown likewise.
func (l *Link) cameUp(s *session, peer wire.Peer) {
	if l.opts.OnUp != nil {
		l.opts.OnUp(peer)
	}
	l.mu.Lock()
	l.session, l.down = s, ""
	l.turn()
	l.mu.Unlock()
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
	if l.opts.OnDown != nil {
		l.opts.OnDown(reason, wait)
	}
	l.mu.Lock()
	l.down, l.retryAt = reason, time.Now().Add(wait)
	l.turn()
	l.mu.Unlock()
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
