package relay

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/present"
	"mcp-gateway/redact"
)

// backlog is how far a host may lag behind before notifications are dropped: the
// upstream's answer must not wait for a slow reader of its progress.
const backlog = 128

// Wish is what a host wants to hear during its request.
type Wish struct {
	Progress []byte // its token, a JSON string or integer as it came; nil = none
	LogLevel string // the least level of messages; "" = none
}

// Relay is the way of one call's notifications.
type Relay struct {
	wish     Wish
	stream   call.Stream
	redactor *redact.Redactor
	queue    chan notification
	done     chan struct{}

	progress float64 // the last that was passed on
	begun    bool    // progress is set

	mu     sync.Mutex // held while the queue is written to or closed
	closed bool
}

type notification struct {
	method string
	params []byte
}

// Open begins a relay, which must be closed. It returns nil, of which all methods
// may be called, if the host wants to hear nothing or has no stream.
func Open(ctx context.Context, stream call.Stream, r *redact.Redactor, w Wish) *Relay {
	if stream == nil || w.Progress == nil && w.LogLevel == "" {
		return nil
	}
	x := &Relay{wish: w, stream: stream, redactor: r, queue: make(chan notification, backlog), done: make(chan struct{})}
	go x.run(ctx)
	return x
}

// Notify takes a notification. It never waits: one for which there is no room is
// dropped.
func (x *Relay) Notify(method string, params []byte) {
	if x == nil || params == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	select {
	case x.queue <- notification{method, slices.Clone(params)}:
	default:
	}
}

// Close returns when all that was taken is with the host, so that nothing comes
// after the answer.
func (x *Relay) Close() {
	if x == nil {
		return
	}
	x.mu.Lock()
	if !x.closed {
		x.closed = true
		close(x.queue)
	}
	x.mu.Unlock()
	<-x.done
}

func (x *Relay) run(ctx context.Context) {
	defer close(x.done)
	for n := range x.queue {
		x.pass(ctx, n)
	}
}

// pass sends one notification as it may leave. Whatever is wrong with one costs
// that one, and never the call.
func (x *Relay) pass(ctx context.Context, n notification) {
	defer func() { _ = recover() }()
	var params []byte
	switch n.method {
	case protocol.NotificationProgress:
		params = x.advance(n.params)
	case protocol.NotificationMessage:
		params = x.message(n.params)
	}
	if params != nil {
		_ = x.stream.Notify(ctx, n.method, params) // a host that is gone is noticed by its request
	}
}

// advance renders progress under the host's own token, if it rises (2026-07-28,
// Progress: the value MUST increase): the upstream's may begin anew in each round.
func (x *Relay) advance(params []byte) []byte {
	raw, _ := protocol.Member(params, "progress")
	value, err := strconv.ParseFloat(string(raw), 64)
	if x.wish.Progress == nil || err != nil || protocol.Kind(raw) != '0' || x.begun && value <= x.progress {
		return nil
	}
	clean, err := x.redactor.Any(params)
	if err != nil {
		return nil
	}
	x.progress, x.begun = value, true
	return present.Params(clean.Bytes(), x.wish.Progress)
}

// message renders a log message of at least the level that the host asked for.
func (x *Relay) message(params []byte) []byte {
	raw, _ := protocol.Member(params, "level")
	level, _ := protocol.Text(raw)
	if x.wish.LogLevel == "" || protocol.Severity(level) < protocol.Severity(x.wish.LogLevel) {
		return nil
	}
	clean, err := x.redactor.Any(params)
	if err != nil {
		return nil
	}
	return present.Params(clean.Bytes(), nil)
}
