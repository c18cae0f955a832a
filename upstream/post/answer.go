package post

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/sse"
	"mcp-gateway/upstream/wire"
)

const (
	envelopeRoom = 4 << 10  // of an answer beside its result
	errorRoom    = 64 << 10 // of a body that comes with an error status
	strayLimit   = 10_000   // events of one stream that reach nobody
)

// Reader reads the answer to one exchange: its error or its result of at most
// Limit bytes. What else comes on the stream goes to the Hub.
type Reader struct {
	Server *Server
	Hub    *exchange.Hub
	X      *exchange.Exchange
	Limit  int
	Reply  func(line []byte) // sends an answer to what the server asked

	// Where the stream stood when it ended, for a server that lets it go on.
	LastID string
	Retry  time.Duration
}

// Read reads a response. Its body is the caller's to close.
func (r *Reader) Read(ctx context.Context, resp *http.Response) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	if resp.StatusCode >= 300 {
		return r.refusal(resp)
	}
	stream, err := IsStream(resp)
	if err != nil {
		return sent, err
	}
	if stream {
		return r.stream(ctx, resp.Body)
	}
	m, err := r.whole(ctx, resp, &sent)
	switch {
	case err != nil:
		return sent, err
	case m.Method != "" || !wire.Is(m.ID, r.X.ID) && (m.ID != nil || m.Error == nil):
		r.Server.opts.Counters.Stray.Add(1)
		return sent, gateway.Fail(gateway.CodeExecutionError, wire.ReasonNoAnswer)
	}
	return wire.Settle(m, r.Limit)
}

// heavy is asked before much of one message is kept: of those of one server, as many are
// read and parsed at a time as leave half of the processors to everybody. done gives the
// place back, if one was taken, and a next one may be asked for.
func (r *Reader) heavy(ctx context.Context) (ask func() error, done func()) {
	taken := false
	ask = func() error {
		if taken {
			return nil
		}
		select {
		case r.Server.large <- struct{}{}:
			taken = true
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ask, func() {
		if taken {
			taken = false
			<-r.Server.large
		}
	}
}

// whole reads and parses a body of JSON.
func (r *Reader) whole(ctx context.Context, resp *http.Response, in *protocol.Incoming) (protocol.Message, error) {
	if resp.ContentLength > int64(r.Limit+envelopeRoom) {
		return protocol.Message{}, gateway.Fail(gateway.CodeTooLarge)
	}
	ask, done := r.heavy(ctx)
	defer done()
	body, came, spent, err := r.Server.bodies.Read(resp.Body, r.Limit+envelopeRoom, ask)
	if err != nil {
		in.Wasted = came
		return protocol.Message{}, Cut(ctx, err)
	}
	m, err := r.parse(body, r.Limit)
	if err != nil {
		in.Wasted, m = came, protocol.Message{}
		err = wire.Unreadable(err)
	}
	if spent != nil {
		m.ID, m.Params, m.Result, m.Error = slices.Clone(m.ID), slices.Clone(m.Params), slices.Clone(m.Result), slices.Clone(m.Error)
		spent()
	}
	return m, err
}

// refusal reads a response with an error status: a JSON-RPC error where one
// came, else what the status says.
func (r *Reader) refusal(resp *http.Response) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	stream, err := IsStream(resp)
	if err != nil || stream || isVerdict(resp.StatusCode) {
		return sent, Status(resp)
	}
	body, err := egress.ReadBody(resp.Body, errorRoom)
	if err != nil {
		return sent, Status(resp)
	}
	m, err := r.parse(body, errorRoom)
	if err != nil || m.Error == nil || m.ID != nil && !wire.Is(m.ID, r.X.ID) {
		return sent, Status(resp)
	}
	if m.ID == nil && resp.StatusCode == http.StatusNotFound {
		return sent, Status(resp) // not of this request: of the session, or of the path
	}
	return wire.Settle(m, errorRoom)
}

func (r *Reader) parse(body []byte, limit int) (protocol.Message, error) {
	return wire.Parse(body, r.Server.limits(limit), r.X.Out.Method)
}

func (s *Server) limits(limit int) protocol.Limits {
	return protocol.Limits{Bytes: limit + envelopeRoom, Depth: s.opts.Depth}
}

// stream reads events until the response comes. A listening stream is never too
// long; on any other, what reaches nobody is counted.
func (r *Reader) stream(ctx context.Context, body io.Reader) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	events := sse.NewReader(body, r.Limit+envelopeRoom)
	ask, done := r.heavy(ctx)
	defer done()
	events.Large = ask
	for strays := 0; strays < strayLimit; {
		done() // of the event before
		data, err := events.Next()
		sent.Wasted += len(data)
		if events.ID != "" {
			r.LastID, r.Retry = events.ID, events.Retry
		}
		if err != nil {
			return r.ended(ctx, sent, err)
		}
		if !events.IsMessage() {
			if strays++; r.Hub.Pace(ctx) != nil {
				return sent, outpaced(ctx)
			}
			continue
		}
		m, err := r.parse(data, r.Limit)
		switch {
		case err != nil:
			return sent, wire.Unreadable(err)
		case (m.Method != "" || !wire.Is(m.ID, r.X.ID)) && r.Hub.Pace(ctx) != nil:
			return sent, outpaced(ctx)
		case m.Method == "" && wire.Is(m.ID, r.X.ID):
			return wire.Settle(m, r.Limit)
		case !r.Server.dispatch(m, r.Hub, r.X, r.Reply) && r.X.Out.Method != protocol.MethodSubscriptionsListen:
			strays++
		}
	}
	return sent, gateway.Fail(gateway.CodeExecutionError, wire.ReasonStray)
}

// ended is what becomes of an exchange whose stream broke off, or went on for too long.
func (r *Reader) ended(ctx context.Context, in protocol.Incoming, err error) (protocol.Incoming, error) {
	if e := (*gateway.Error)(nil); errors.As(err, &e) && e.Code == gateway.CodeTooLarge {
		in.Wasted += r.Limit
	}
	return in, Cut(ctx, err)
}

// outpaced is the error of a stream with so many messages that its answer, if it comes,
// comes too late.
func outpaced(ctx context.Context) *gateway.Error {
	if ctx.Err() != nil {
		return wire.Ended(ctx)
	}
	return gateway.Fail(gateway.CodeTimeout, wire.ReasonStray)
}

// dispatch gives to the hub what is no answer, and reports whether it was of
// use.
func (s *Server) dispatch(m protocol.Message, hub *exchange.Hub, own *exchange.Exchange, reply func([]byte)) bool {
	switch {
	case m.Method != "" && m.ID != nil:
		return hub.Ask(m, own, reply)
	case m.Method != "":
		return hub.Note(m, own)
	default:
		s.opts.Counters.Stray.Add(1)
		return false
	}
}

// Hear gives what comes on a stream of no exchange to the hub, until the stream
// ends or a message is none; the error says which.
func (s *Server) Hear(ctx context.Context, body io.Reader, hub *exchange.Hub, limit int, reply func([]byte)) error {
	events := sse.NewReader(body, limit)
	for {
		data, err := events.Next()
		if err != nil {
			return Cut(ctx, err)
		}
		if err := hub.Pace(ctx); err != nil {
			return Cut(ctx, err)
		}
		if !events.IsMessage() {
			continue
		}
		m, err := protocol.ParseMessage(data, s.limits(limit))
		if err != nil {
			return wire.Unreadable(err)
		}
		s.dispatch(m, hub, nil, reply)
	}
}

// Cut is the error for a body that ended early, by whichever cause.
func Cut(ctx context.Context, err error) *gateway.Error {
	var e *gateway.Error
	switch {
	case ctx.Err() != nil:
		return wire.Ended(ctx)
	case errors.As(err, &e):
		return e
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return gateway.Because(gateway.CodeExecutionError, err, wire.ReasonNoAnswer)
	default:
		return gateway.Because(gateway.CodeExecutionError, err, wire.ReasonBroken)
	}
}

// IsStream reports which of the two media types of an answer a response has: an
// event stream or JSON. Any other is an error.
func IsStream(resp *http.Response) (bool, error) {
	value := resp.Header.Get("Content-Type")
	if value != mediaJSON && value != mediaStream { // the usual spelling needs no parser
		value, _, _ = mime.ParseMediaType(value)
	}
	switch {
	case resp.Header.Get("Content-Encoding") != "" && resp.Header.Get("Content-Encoding") != "identity":
		return false, gateway.Fail(gateway.CodeExecutionError, wire.ReasonMediaType)
	case value == mediaJSON || value == mediaStream:
		return value == mediaStream, nil
	case value == "text/html" || value == "application/xhtml+xml":
		return false, gateway.Fail(gateway.CodeExecutionError, wire.ReasonHTML)
	default:
		return false, gateway.Fail(gateway.CodeExecutionError, wire.ReasonMediaType)
	}
}
