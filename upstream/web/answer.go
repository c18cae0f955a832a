package web

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/sse"
	"mcp-gateway/upstream/wire"
)

const (
	envelopeRoom = 4 << 10  // of an answer beside its result
	errorRoom    = 64 << 10 // of a body that comes with an error status
	strayLimit   = 10_000   // events of one stream that answer nothing
)

// answer reads the response to the request id: its error or its result of at
// most limit bytes.
func (l *Link) answer(ctx context.Context, resp *http.Response, id int64, limit int) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	if resp.StatusCode >= 300 {
		return l.refusal(resp, id)
	}
	kind, err := mediaType(resp)
	if err != nil {
		return sent, err
	}
	if kind == mediaStream {
		return l.stream(ctx, resp.Body, id, limit)
	}
	body, err := egress.ReadBody(resp.Body, limit+envelopeRoom)
	if err != nil {
		return sent, cut(ctx, err)
	}
	m, err := l.parse(body, limit)
	switch {
	case err != nil:
		return sent, wire.Unreadable(err)
	case m.Method != "" || !wire.Is(m.ID, id) && (m.ID != nil || m.Error == nil):
		l.Counters.Stray.Add(1)
		return sent, gateway.Fail(gateway.CodeExecutionError, wire.ReasonNoAnswer)
	}
	return wire.Settle(m, limit)
}

// refusal reads a response with an error status: a JSON-RPC error where one
// came, else what the status says.
func (l *Link) refusal(resp *http.Response, id int64) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	kind, err := mediaType(resp)
	if err != nil || kind != mediaJSON || isVerdict(resp.StatusCode) {
		return sent, status(resp)
	}
	body, err := egress.ReadBody(resp.Body, errorRoom)
	if err != nil {
		return sent, status(resp)
	}
	m, err := l.parse(body, errorRoom)
	if err != nil || m.Error == nil || m.ID != nil && !wire.Is(m.ID, id) {
		return sent, status(resp)
	}
	return wire.Settle(m, errorRoom)
}

func (l *Link) parse(body []byte, limit int) (protocol.Message, error) {
	return protocol.ParseMessage(body, protocol.Limits{Bytes: limit + envelopeRoom, Depth: l.opts.Depth})
}

// stream reads events until the response to id comes. Everything else on the
// stream is dropped: there is nobody to whom it belongs.
func (l *Link) stream(ctx context.Context, body io.Reader, id int64, limit int) (protocol.Incoming, error) {
	sent := protocol.Incoming{Sent: true}
	events := sse.NewReader(body, limit+envelopeRoom)
	for range strayLimit {
		data, err := events.Next()
		if err != nil {
			return sent, cut(ctx, err)
		}
		m, err := l.parse(data, limit)
		switch {
		case err != nil:
			return sent, wire.Unreadable(err)
		case m.Method != "":
			l.note(m)
		case wire.Is(m.ID, id):
			return wire.Settle(m, limit)
		default:
			l.Counters.Stray.Add(1)
		}
	}
	return sent, gateway.Fail(gateway.CodeExecutionError, wire.ReasonStray)
}

// note counts a notification, or a request, which a modern server may not make.
func (l *Link) note(m protocol.Message) {
	switch {
	case m.ID != nil:
		l.Counters.Refused.Add(1)
	case m.Method == protocol.NotificationToolsChanged:
		l.opts.OnChanged()
	default:
		l.Counters.Notifications.Add(1)
	}
}

// cut is the error for a body that ended early, by whichever cause.
func cut(ctx context.Context, err error) *gateway.Error {
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

// mediaType returns one of the two media types of an answer, or the error for
// any other.
func mediaType(resp *http.Response) (string, error) {
	value := resp.Header.Get("Content-Type")
	if value != mediaJSON && value != mediaStream { // the usual spelling needs no parser
		value, _, _ = mime.ParseMediaType(value)
	}
	switch {
	case resp.Header.Get("Content-Encoding") != "" && resp.Header.Get("Content-Encoding") != "identity":
		return "", gateway.Fail(gateway.CodeExecutionError, wire.ReasonMediaType)
	case value == mediaJSON || value == mediaStream:
		return value, nil
	case value == "text/html" || value == "application/xhtml+xml":
		return "", gateway.Fail(gateway.CodeExecutionError, wire.ReasonHTML)
	default:
		return "", gateway.Fail(gateway.CodeExecutionError, wire.ReasonMediaType)
	}
}
