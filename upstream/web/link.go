package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/credential"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/wire"
)

// Options say which server to speak to and how. Zero values mean the defaults
// named with each field.
type Options struct {
	URL          string
	Bearer       string            // the gateway's own credential for this upstream; "" for none
	Source       credential.Source // gives the credential of each request instead; nil for none
	Client       *http.Client      // with the dial guard; required
	Terms        wire.Terms
	Version      string          // of the gateway, for clientInfo and User-Agent
	ProbeTimeout time.Duration   // for each step of meeting it; 4 s
	Depth        int             // of JSON; the protocol package's default
	Relay        map[string]bool // methods that a legacy server may ask of a host; declared to it
	Backoff      child.Backoff   // after failures to connect
	Tolerance    int             // broken exchanges in a row until the upstream is called down; 3

	// The callbacks must not call the link.
	OnUp func(wire.Peer) // each time it is met; nil for none
	// OnDown is told of each failure to meet it, in more detail where there is any
	// (grant.Word); nil for nobody.
	OnDown func(reason, word gateway.Reason, wait time.Duration)
	OnNote func(method string, params []byte) // it told of a change: list_changed or updated; nil for none
}

// Link is an upstream over HTTP. Close it.
type Link struct {
	opts   Options
	server *post.Server
	rules  exchange.Rules
	hub    *exchange.Hub   // of a modern server, through all meetings, so that no id is used twice
	ctx    context.Context // ends with Close; probes live in it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	up       *meeting      // nil while it is not known to be up
	probing  chan struct{} // closed when the probe under way ends; nil if none is
	down     gateway.Reason
	retryAt  time.Time
	failures int // in a row, of meetings and exchanges

	Counters exchange.Counters
}

// way is how a server that was met is spoken to: modern, pool, or a connection
// of package classic.
type way interface {
	Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error)
	Close()
}

// meeting is what holds while the upstream is up.
type meeting struct {
	peer wire.Peer
	way  way
}

// New returns a link; nothing is sent before the first Exchange.
func New(opts Options) (*Link, error) {
	if opts.ProbeTimeout <= 0 {
		opts.ProbeTimeout = 4 * time.Second
	}
	if opts.Tolerance <= 0 {
		opts.Tolerance = 3
	}
	l := &Link{opts: opts}
	l.rules = exchange.Rules{Relay: opts.Relay, Note: opts.OnNote, Counters: &l.Counters, Pace: exchange.NewPace()}
	l.hub = exchange.NewHub(exchange.Rules{Note: opts.OnNote, Counters: &l.Counters, Pace: l.rules.Pace}) // a modern server may not ask
	var err error
	l.server, err = post.New(post.Options{
		URL: opts.URL, Bearer: opts.Bearer, Source: opts.Source, Client: opts.Client, Version: opts.Version,
		Depth: opts.Depth, Counters: &l.Counters,
	})
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l, err
}

// Ready waits until the upstream is met; an error says why it is not.
func (l *Link) Ready(ctx context.Context) error {
	_, err := l.ready(ctx)
	return err
}

// Exchange sends one request and returns its answer, of at most limit bytes.
func (l *Link) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	m, err := l.ready(ctx)
	if err != nil {
		return protocol.Incoming{}, err
	}
	in, err := m.way.Exchange(credential.For(ctx, out.Behalf), out, limit)
	l.judge(m, err)
	return in, err
}

// judge counts failures to reach the upstream: several in a row mean down.
func (l *Link) judge(m *meeting, err error) {
	outage := err != nil && isOutage(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.up != m: // judged already
	case !outage:
		l.failures = 0
	default:
		if l.failures++; l.failures >= l.opts.Tolerance {
			l.fall(child.ReasonOf(err), "", 0)
		}
	}
}

// isOutage reports whether an error tells of the connection, not of the call.
func isOutage(err error) bool {
	switch child.ReasonOf(err) {
	case wire.ReasonRefused, wire.ReasonBlocked, wire.ReasonDial, wire.ReasonDialTimeout, wire.ReasonDNS,
		wire.ReasonTLS, wire.ReasonBroken, wire.HTTPStatus(http.StatusBadGateway),
		wire.HTTPStatus(http.StatusServiceUnavailable), wire.HTTPStatus(http.StatusGatewayTimeout):
		return true
	}
	return false
}

// fall takes the upstream for down, for at least the time it named; mu is held.
func (l *Link) fall(reason, word gateway.Reason, atLeast time.Duration) {
	if m := l.up; m != nil {
		l.up = nil
		l.work.Go(m.way.Close) // which may have to wait, and to tell the server
	}
	wait := max(l.opts.Backoff.After(max(l.failures, 1)), atLeast)
	l.down, l.retryAt = reason, time.Now().Add(wait)
	if l.opts.OnDown != nil {
		l.opts.OnDown(reason, word, wait)
	}
}

// ready returns the meeting that holds, after a probe where none does. Within
// the back-off after a failure it refuses at once.
func (l *Link) ready(ctx context.Context) (*meeting, error) {
	for {
		l.mu.Lock()
		m, down, wait := l.up, l.down, time.Until(l.retryAt)
		if m != nil || l.ctx.Err() != nil || down != "" && wait > 0 {
			closed := l.ctx.Err() != nil
			l.mu.Unlock()
			return m, refuse(m, closed, down, wait)
		}
		if l.probing == nil {
			l.probing = make(chan struct{})
			l.work.Go(l.probe)
		}
		probing := l.probing
		l.mu.Unlock()
		select {
		case <-probing:
		case <-ctx.Done():
			if e := wire.Ended(ctx); e.Code == gateway.CodeCancelled {
				return nil, e
			}
			return nil, gateway.Because(gateway.CodeUnavailable, ctx.Err(), wire.ReasonConnecting)
		}
	}
}

func refuse(m *meeting, closed bool, down gateway.Reason, wait time.Duration) error {
	switch {
	case closed:
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonClosed)
	case m == nil:
		e := gateway.Fail(gateway.CodeUnavailable, down)
		e.RetryAfter = wait
		return e
	}
	return nil
}

// ended takes the upstream for down because the connection to it ended by
// itself.
func (l *Link) ended(w way, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up != nil && l.up.way == w && l.ctx.Err() == nil {
		l.failures++
		l.fall(child.ReasonOf(err), "", 0)
	}
}

// again tells that a server was met anew without having been down: what it
// kept for the session before is gone.
func (l *Link) again(w way, peer wire.Peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up != nil && l.up.way == w && l.opts.OnUp != nil {
		l.opts.OnUp(peer)
	}
}

// Close ends probes, sessions and streams and returns when they have ended.
// Exchanges under way end with their own contexts.
func (l *Link) Close() {
	l.mu.Lock()
	l.cancel()
	if m := l.up; m != nil {
		l.up = nil
		l.work.Go(m.way.Close)
	}
	l.mu.Unlock()
	l.work.Wait()
	l.server.Close()
}
