package exchange

import (
	"context"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

// Line is a connection on which the answers to all exchanges come on one
// stream: a process, or the event stream of revision 2024-11-05.
type Line struct {
	*Hub
	limits protocol.Limits
	send   func(line []byte)

	ending sync.Mutex
	over   *gateway.Error // set once the stream is no longer read
}

// NewLine returns a line. limits bound one message of the upstream; send
// transmits an answer to what the upstream asked and must not block for long.
func NewLine(h *Hub, limits protocol.Limits, send func(line []byte)) *Line {
	return &Line{Hub: h, limits: limits, send: send}
}

// Begin is Open; an error means that the line is no longer read.
func (l *Line) Begin(ctx context.Context, out *protocol.Outgoing) (*Exchange, error) {
	l.ending.Lock()
	defer l.ending.Unlock()
	if l.over != nil {
		return nil, l.over
	}
	return l.Open(ctx, out), nil
}

// Abandon gives an exchange up and reports whether its reply had not come yet.
// If it had, Reply has it.
func (l *Line) Abandon(x *Exchange) bool {
	return l.take(x.ID) != nil
}

// End settles every open exchange with the error; later ones are refused with
// it. Only the first call counts.
func (l *Line) End(err error) {
	why := wire.Unreadable(err)
	if child.ReasonOf(err) != "" {
		why = gateway.Because(gateway.CodeUnavailable, err, child.ReasonOf(err))
	}
	l.ending.Lock()
	defer l.ending.Unlock()
	if l.over != nil {
		return
	}
	l.over = why
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, x := range l.open {
		x.reply <- Reply{Err: why}
		delete(l.open, id)
	}
}

// Dispatch takes one message, of which only the two ends came if whole is not
// set, and reports whether it was one that has business here.
func (l *Line) Dispatch(raw []byte, whole bool) bool {
	if !whole {
		return l.spoil(raw, gateway.Fail(gateway.CodeTooLarge))
	}
	m, err := protocol.ParseMessage(raw, l.limits)
	if err != nil || m.Method != "" {
		_ = l.Pace(context.Background()) // what waits is the reading of this line alone, for a moment
	}
	switch {
	case err != nil:
		return l.spoil(raw, wire.Unreadable(err))
	case m.Method != "" && m.ID != nil:
		l.Ask(m, nil, l.send)
	case m.Method != "":
		l.Note(m, nil)
	default:
		return l.settle(m)
	}
	return true
}

// settle gives a response to the request of its id. One that is unknown,
// repeated or no longer wanted is dropped and counted.
func (l *Line) settle(m protocol.Message) bool {
	if id, ok := wire.ID(m.ID); ok {
		if x := l.take(id); x != nil {
			x.reply <- Reply{Message: m}
			return true
		}
	}
	l.rules.Counters.Stray.Add(1)
	return false
}

// spoil deals with a line that is no strict message: a page of a list may have
// faulty elements; otherwise the request that it was meant to answer fails, if
// that can be told, so that nobody waits for what will not come.
func (l *Line) spoil(raw []byte, why *gateway.Error) bool {
	for _, id := range salvage(raw) {
		l.mu.Lock()
		x := l.open[id]
		l.mu.Unlock()
		if x == nil {
			continue
		}
		m, err := wire.Parse(raw, l.limits, x.Out.Method)
		if why.Code != gateway.CodeTooLarge && err == nil && wire.Is(m.ID, id) {
			return l.settle(m)
		}
		if l.take(id) != nil {
			x.reply <- Reply{Err: why}
		}
		break
	}
	l.rules.Counters.Unreadable.Add(1)
	return false
}
