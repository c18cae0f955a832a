package upstream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/circuit"
	"mcp-gateway/upstream/stdio"
	"mcp-gateway/upstream/web"
	"mcp-gateway/upstream/wire"
)

// link is one way to reach an upstream: stdio.Link or web.Link.
type link interface {
	Ready(ctx context.Context) error // waits until it is met, or says why it is not
	Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error)
	Close()
}

// Client is one upstream. Its methods may be called from any goroutine. Close it.
type Client struct {
	cfg     Config
	link    link
	stdio   *stdio.Link // link, if it is a process; else nil
	web     *web.Link   // link, if it is HTTP; else nil
	gate    *gate
	breaker *circuit.Breaker
	changed chan struct{}
	watches watches
	lists   atomic.Int64 // list methods that were declared and unknown

	ctx    context.Context // ends with Close; subscriptions live in it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex
	state state
}

// New returns the client of one upstream. A process is started at once and in
// the background; over HTTP the first request makes the acquaintance. Neither
// is waited for: an upstream that can't be reached shows in Status.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.prepared()
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, gate: newGate(cfg.InFlight, cfg.Queue), changed: make(chan struct{}, 1)}
	c.breaker = circuit.New(cfg.CircuitAfter, cfg.CircuitRest, time.Now)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.state = state{reason: wire.ReasonConnecting, since: time.Now()}
	c.watches.init()
	c.work.Go(c.subscribe)
	if cfg.Stdio != nil {
		c.stdio = stdio.New(stdio.Options{
			Child: *cfg.Stdio, Terms: cfg.terms(), Version: cfg.Version, ProbeTimeout: cfg.ProbeTimeout,
			StartTimeout: cfg.StartTimeout, Depth: cfg.Depth, Relay: cfg.relay(),
			OnUp: c.cameUp, OnDown: c.ended, OnNote: c.note,
		})
		c.link = c.stdio
		return c, nil
	}
	c.web, err = web.New(web.Options{
		URL: cfg.HTTP.URL, Bearer: cfg.HTTP.Bearer, Source: cfg.HTTP.Source, Client: cfg.HTTP.Client, Backoff: cfg.HTTP.Backoff,
		Terms: cfg.terms(), Version: cfg.Version, ProbeTimeout: cfg.ProbeTimeout, Depth: cfg.Depth, Relay: cfg.relay(),
		OnUp: c.cameUp, OnDown: c.ended, OnNote: c.note,
	})
	c.link = c.web
	return c, err
}

// Call makes one exchange. An error means that there is no answer, and
// Incoming.Sent then says whether the upstream may have acted all the same. A
// JSON-RPC error of the upstream is an answer: it stands in Incoming.Error.
//
// Errors are *gateway.Error: CodeUnavailable (refused now, with RetryAfter where
// known), CodeTimeout, CodeCancelled, CodeTooLarge, CodeExecutionError; the first
// of Reasons says why.
func (c *Client) Call(ctx context.Context, out protocol.Outgoing) (protocol.Incoming, error) {
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > c.cfg.Timeout { // else the caller's time is the shorter
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.cfg.Timeout)
		defer cancel()
	}
	if err := c.gate.enter(ctx); err != nil {
		return protocol.Incoming{}, staged(err)
	}
	defer c.gate.leave()
	if err := c.known(); err != nil {
		return protocol.Incoming{}, staged(err)
	}
	if err := c.breaker.Enter(); err != nil {
		return protocol.Incoming{}, staged(err)
	}
	limit := out.Limit
	if limit <= 0 {
		limit = c.cfg.ResultLimit
	}
	in, err := c.link.Exchange(ctx, &out, limit)
	c.breaker.Leave(err, in.Wasted)
	if notReviewed(child.ReasonOf(err)) {
		c.signal()
	}
	return in, staged(err)
}

// staged marks an error as one of this room.
func staged(err error) error {
	var e *gateway.Error
	if err != nil && errors.As(err, &e) {
		own := *e
		own.Stage = "upstream"
		return &own
	}
	return err
}

// Changed receives when the lists should be fetched again: after the upstream
// said that one changed, after it came up anew, and when it turns out to be another. Signals that were
// not yet received are one.
func (c *Client) Changed() <-chan struct{} { return c.changed }

func (c *Client) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Stderr returns the last lines that a process wrote to stderr, cleaned.
func (c *Client) Stderr() []string {
	if c.stdio == nil {
		return nil
	}
	return c.stdio.Stderr()
}

// Close lets go of the upstream; a process ends with its group, within its
// grace. Calls under way fail.
func (c *Client) Close() {
	c.cancel()
	c.link.Close()
	c.work.Wait()
}
