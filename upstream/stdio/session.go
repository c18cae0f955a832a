package stdio

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/wire"
)

// session is one process that is spoken to.
type session struct {
	link *Link
	proc *child.Process
	line *exchange.Line

	// Set by the handshake, before the session is handed out.
	envelope wire.Envelope
	peer     wire.Peer
	volume   exchange.Volume
}

// ticket is one request on its way.
type ticket struct {
	*exchange.Exchange
	frame *child.Frame
}

func newSession(l *Link, p *child.Process) *session {
	s := &session{link: l, proc: p}
	hub := exchange.NewHub(exchange.Rules{Relay: l.opts.Relay, Note: l.opts.OnNote, Counters: &l.Counters, Pace: l.pace})
	limits := protocol.Limits{Bytes: l.opts.Child.LineLimit, Depth: l.opts.Depth}
	s.line = exchange.NewLine(hub, limits, func(line []byte) { _, _ = p.Send(protocol.OneLine(line)) })
	return s
}

// send numbers a request and queues it. An error means that it was not sent.
func (s *session) send(ctx context.Context, out *protocol.Outgoing, line func(id int64) []byte) (ticket, error) {
	x, err := s.line.Begin(ctx, out)
	if err != nil {
		return ticket{}, err
	}
	frame, err := s.proc.Send(line(x.ID))
	if err != nil {
		s.line.Close(x)
		return ticket{}, err
	}
	return ticket{Exchange: x, frame: frame}, nil
}

// exchange sends one request of a caller and returns its answer.
func (s *session) exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	if s.peer.Era == wire.Modern {
		own := *out
		own.Ask = nil // a modern server may not ask in mid-call
		out = &own
	} else if s.peer.Declares("/logging") {
		s.volume.Raise(out.LogLevel, func(level string) { _, _ = s.roundTrip(ctx, wire.SetLevel(level), limit) })
	}
	return s.roundTrip(ctx, out, limit)
}

// roundTrip sends one request and waits for its answer. When ctx ends first the
// upstream is told, with our id, and the slot is free.
func (s *session) roundTrip(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	t, err := s.send(ctx, out, func(id int64) []byte { return s.envelope.Request(id, out) })
	if err != nil {
		return protocol.Incoming{}, err
	}
	defer s.line.Close(t.Exchange)
	select {
	case r := <-t.Reply():
		return s.finish(t, r, limit)
	case <-ctx.Done():
		if !s.line.Abandon(t.Exchange) { // answered at the same moment
			return s.finish(t, <-t.Reply(), limit)
		}
		if t.frame.Withdraw() {
			return protocol.Incoming{}, wire.Ended(ctx)
		}
		_, _ = s.proc.Send(wire.Cancelled(t.ID)) // a full queue: the answer is dropped when it comes
		return protocol.Incoming{Sent: true}, wire.Ended(ctx)
	}
}

func (s *session) finish(t ticket, r exchange.Reply, limit int) (protocol.Incoming, error) {
	if r.Err != nil {
		return s.lost(t, r.Err)
	}
	return wire.Settle(r.Message, limit)
}

// lost is the outcome of a request whose answer will not come or is no answer.
func (s *session) lost(t ticket, why *gateway.Error) (protocol.Incoming, error) {
	if t.frame.Withdraw() {
		return protocol.Incoming{}, why
	}
	if why.Code == gateway.CodeUnavailable {
		why = gateway.Because(gateway.CodeExecutionError, why.Err, why.Reasons...)
	}
	return protocol.Incoming{Sent: true}, why
}
