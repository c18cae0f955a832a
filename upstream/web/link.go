package web

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

// Options say which server to speak to and how. Zero values mean the defaults
// named with each field.
type Options struct {
	URL          string
	Bearer       string       // the gateway's own credential for this upstream; "" for none
	Client       *http.Client // with the dial guard; required
	Terms        wire.Terms
	Version      string        // of the gateway, for clientInfo and User-Agent
	ProbeTimeout time.Duration // for server/discover; 4 s
	Depth        int           // of JSON; the protocol package's default
	Backoff      child.Backoff // after failures to connect
	Tolerance    int           // broken exchanges in a row until the upstream is called down; 3

	// The callbacks must not call the link.
	OnUp      func(wire.Peer)                                 // each time it is met; nil for none
	OnDown    func(reason gateway.Reason, wait time.Duration) // each failure to meet it; nil for none
	OnChanged func()                                          // it said that its tools changed; nil for none
}

// Link is an upstream over HTTP. Close it.
type Link struct {
	opts   Options
	url    *url.URL
	fixed  fixedHeaders
	lastID atomic.Int64
	ctx    context.Context // ends with Close; probes and the listening stream live in it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	up       *meeting      // nil while it is not known to be up
	probing  chan struct{} // closed when the probe under way ends; nil if none is
	down     gateway.Reason
	retryAt  time.Time
	failures int // in a row, of meetings and exchanges

	Counters Counters
}

// meeting is what holds while the upstream is up.
type meeting struct {
	peer     wire.Peer
	envelope wire.Envelope
	end      context.CancelFunc // of the listening stream
}

// Counters count what an upstream sent that nobody had asked for.
type Counters struct {
	Stray         atomic.Int64 // responses with another id than the request's
	Refused       atomic.Int64 // requests of the upstream
	Notifications atomic.Int64 // progress, logging and the like, not passed on
}

// New returns a link; nothing is sent before the first Exchange.
func New(opts Options) (*Link, error) {
	u, err := url.Parse(opts.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || opts.Client == nil {
		return nil, gateway.Because(gateway.CodeInternal, err)
	}
	if opts.ProbeTimeout <= 0 {
		opts.ProbeTimeout = 4 * time.Second
	}
	if opts.Tolerance <= 0 {
		opts.Tolerance = 3
	}
	if opts.OnChanged == nil {
		opts.OnChanged = func() {}
	}
	u.User, u.Fragment = nil, ""
	l := &Link{opts: opts, url: u, fixed: newFixedHeaders(opts.Version, opts.Bearer)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l, nil
}

// Exchange sends one request and returns its answer, of at most limit bytes.
func (l *Link) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	m, err := l.ready(ctx)
	if err != nil {
		return protocol.Incoming{}, err
	}
	in, err := l.exchange(ctx, m.envelope, m.peer.Revision, out, limit)
	l.judge(m, err)
	return in, err
}

// exchange is one POST and its answer, whatever state the link is in.
func (l *Link) exchange(ctx context.Context, e wire.Envelope, revision string, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	var touched atomic.Bool
	id := l.lastID.Add(1)
	resp, err := l.post(ctx, l.headers(revision, out), e.Request(id, out), &touched)
	if err != nil {
		sent := touched.Load()
		return protocol.Incoming{Sent: sent}, connection(ctx, err, sent)
	}
	defer func() { _ = resp.Body.Close() }()
	return l.answer(ctx, resp, id, limit)
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
			l.fall(child.ReasonOf(err), 0)
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
func (l *Link) fall(reason gateway.Reason, atLeast time.Duration) {
	if l.up != nil {
		l.up.end()
		l.up = nil
	}
	wait := max(l.opts.Backoff.After(max(l.failures, 1)), atLeast)
	l.down, l.retryAt = reason, time.Now().Add(wait)
	if l.opts.OnDown != nil {
		l.opts.OnDown(reason, wait)
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
			l.work.Add(1)
			go l.probe()
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

// Close ends probes and streams and returns when they have ended. Exchanges
// under way end with their own contexts.
func (l *Link) Close() {
	l.mu.Lock()
	l.cancel()
	l.mu.Unlock()
	l.work.Wait()
	l.opts.Client.CloseIdleConnections()
}
