package classic

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/sse"
	"mcp-gateway/upstream/wire"
)

const (
	eventLimit       = 16 << 20 // bytes of one event
	introductionRoom = 1 << 20  // of an answer to initialize
)

// Options say which server to speak to and how.
type Options struct {
	Server  *post.Server
	Terms   wire.Terms
	Version string // of the gateway, for clientInfo
	Depth   int    // of JSON; the protocol package's default
	Rules   exchange.Rules
	OnEnd   func(error) // the stream ended by itself; called once
}

// Conn is one connection to a server. Close it.
type Conn struct {
	opts     Options
	endpoint *post.Server
	line     *exchange.Line
	peer     wire.Peer
	volume   exchange.Volume

	courier *post.Courier   // takes messages without an answer
	ctx     context.Context // ends with Close, and with it the stream
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

// Open opens the stream, learns the endpoint and initialises.
func Open(ctx context.Context, opts Options) (*Conn, error) {
	c := &Conn{opts: opts, courier: post.NewCourier()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	limits := protocol.Limits{Bytes: eventLimit, Depth: opts.Depth}
	c.line = exchange.NewLine(exchange.NewHub(opts.Rules), limits, c.courier.Take)
	body, err := c.connect(ctx)
	if err != nil {
		c.cancel()
		return nil, err
	}
	events := sse.NewReader(body, eventLimit)
	if err := c.learn(ctx, events); err != nil {
		c.cancel()
		_ = body.Close()
		return nil, err
	}
	met := make(chan struct{})
	c.work.Go(func() { c.read(body, events, met) })
	defer close(met)
	if err := c.initialise(ctx); err != nil {
		c.cancel()
		return nil, err
	}
	c.work.Go(func() { c.courier.Run(c.ctx, c.tell) })
	return c, nil
}

// connect opens the stream. It lives as long as the connection, and ctx bounds
// only how long it may take to come.
func (c *Conn) connect(ctx context.Context) (io.ReadCloser, error) {
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	resp, err := c.opts.Server.Bare(c.ctx, http.MethodGet, c.opts.Server.Legacy("", ""), "")
	if err != nil {
		return nil, post.Connection(ctx, err, false)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, post.Status(resp)
	}
	if stream, err := post.IsStream(resp); err != nil || !stream {
		_ = resp.Body.Close()
		return nil, gateway.Because(gateway.CodeUnavailable, err, wire.ReasonMediaType)
	}
	return resp.Body, nil
}

// learn reads the first event, which names the endpoint. One of another origin
// is refused: our credential would go there.
func (c *Conn) learn(ctx context.Context, events *sse.Reader) error {
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	data, err := events.Next()
	if err != nil {
		return post.Cut(ctx, err)
	}
	endpoint, ok := c.opts.Server.Endpoint(string(data))
	if !ok || events.Name != "endpoint" {
		return gateway.Fail(gateway.CodeUnavailable, wire.ReasonEndpoint)
	}
	c.endpoint = endpoint
	return nil
}

// read gives every event to the line, until the stream ends. It tells of the
// end only after Open has told of the beginning.
func (c *Conn) read(body io.ReadCloser, events *sse.Reader, met <-chan struct{}) {
	defer func() { _ = body.Close() }()
	var err error
	for err == nil {
		var data []byte
		if data, err = events.Next(); err == nil && events.IsMessage() {
			c.line.Dispatch(data, true)
		}
	}
	ended := gateway.Because(gateway.CodeUnavailable, err, wire.ReasonBroken)
	c.line.End(ended)
	<-met
	if c.ctx.Err() == nil && c.opts.OnEnd != nil {
		c.opts.OnEnd(ended)
	}
	c.cancel()
}

// initialise performs the handshake.
func (c *Conn) initialise(ctx context.Context) error {
	in, err := c.roundTrip(ctx, &protocol.Outgoing{Method: protocol.MethodInitialize}, func(id int64) []byte {
		return wire.Initialize(id, protocol.Revision20251125, c.opts.Version, c.opts.Rules.Relay)
	}, introductionRoom)
	switch {
	case err != nil:
		return err
	case in.Error != nil:
		return gateway.Because(gateway.CodeUnavailable,
			fmt.Errorf("initialize answered with error %d", in.Error.Code), wire.ReasonProbeError)
	}
	if c.peer, err = wire.Initialised(in.Result, c.opts.Terms); err != nil {
		return err
	}
	status, err := c.tell(ctx, wire.Initialized())
	switch {
	case err != nil:
		return post.Connection(ctx, err, false)
	case status >= 300:
		return gateway.Fail(gateway.CodeUnavailable, wire.HTTPStatus(status))
	}
	return nil
}

// Peer returns what the server said of itself.
func (c *Conn) Peer() wire.Peer { return c.peer }

// Exchange sends one request and returns its answer, of at most limit bytes.
// The one connection is the gateway's own: in anybody else's right it is not used.
func (c *Conn) Exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	if out.Behalf.Principal != "" {
		return protocol.Incoming{}, gateway.Fail(gateway.CodeUnavailable, gateway.ReasonCredential)
	}
	if c.peer.Declares("/logging") {
		c.volume.Raise(out.LogLevel, func(level string) {
			set := wire.SetLevel(level)
			_, _ = c.roundTrip(ctx, set, func(id int64) []byte { return wire.Envelope{}.Request(id, set) }, limit)
		})
	}
	return c.roundTrip(ctx, out, func(id int64) []byte { return wire.Envelope{}.Request(id, out) }, limit)
}

// roundTrip posts one request and waits for its answer on the stream, which may
// come before the receipt for the request.
func (c *Conn) roundTrip(ctx context.Context, out *protocol.Outgoing, line func(id int64) []byte, limit int) (protocol.Incoming, error) {
	x, err := c.line.Begin(ctx, out)
	if err != nil {
		return protocol.Incoming{}, err
	}
	defer c.line.Close(x)
	var touched atomic.Bool
	posted := make(chan error, 1)
	go func() { posted <- c.post(ctx, line(x.ID), &touched) }()
	for {
		select {
		case err := <-posted:
			if posted = nil; err == nil {
				continue
			}
			if c.line.Abandon(x) {
				return protocol.Incoming{Sent: touched.Load()}, err
			}
			return settle(<-x.Reply(), limit)
		case r := <-x.Reply():
			return settle(r, limit)
		case <-ctx.Done():
			if !c.line.Abandon(x) { // answered at the same moment
				return settle(<-x.Reply(), limit)
			}
			if touched.Load() {
				c.courier.Take(wire.Cancelled(x.ID))
			}
			return protocol.Incoming{Sent: touched.Load()}, wire.Ended(ctx)
		}
	}
}

func settle(r exchange.Reply, limit int) (protocol.Incoming, error) {
	if r.Err != nil {
		return protocol.Incoming{Sent: true}, gateway.Because(gateway.CodeExecutionError, r.Err.Err, r.Err.Reasons...)
	}
	return wire.Settle(r.Message, limit)
}

// post sends one request; an error means that no answer will come.
func (c *Conn) post(ctx context.Context, line []byte, touched *atomic.Bool) error {
	resp, err := c.endpoint.Post(ctx, c.headers(), line, touched)
	if err != nil {
		return post.Connection(ctx, err, touched.Load())
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= 300 {
		return post.Status(resp)
	}
	return nil
}

func (c *Conn) headers() http.Header { return c.opts.Server.Legacy(c.peer.Revision, "") }

func (c *Conn) tell(ctx context.Context, line []byte) (status int, err error) {
	return c.endpoint.Tell(ctx, c.headers(), line)
}

// Close ends the connection and returns when nothing of it runs any more.
func (c *Conn) Close() {
	c.cancel()
	c.work.Wait()
}
