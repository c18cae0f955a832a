package stdio

import (
	"context"
	"sync"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/wire"
)

// session is one process that is spoken to.
type session struct {
	link     *Link
	proc     *child.Process
	envelope wire.Envelope // set by the handshake, before the session is handed out

	mu      sync.Mutex
	last    int64                // the id given last; ids are never used twice
	pending map[int64]chan reply // one reply each, then removed
	over    *gateway.Error       // set once the process is no longer read
}

// reply is what became of a request: a message, or why there will be none.
type reply struct {
	message protocol.Message
	err     *gateway.Error
}

// ticket is one request on its way.
type ticket struct {
	id    int64
	reply chan reply
	frame *child.Frame
}

func newSession(l *Link, p *child.Process) *session {
	return &session{link: l, proc: p, pending: make(map[int64]chan reply)}
}

// send numbers a request and queues it. An error means that it was not sent.
func (s *session) send(line func(id int64) []byte) (ticket, error) {
	s.mu.Lock()
	if s.over != nil {
		over := s.over
		s.mu.Unlock()
		return ticket{}, over
	}
	s.last++
	t := ticket{id: s.last, reply: make(chan reply, 1)}
	s.pending[t.id] = t.reply
	s.mu.Unlock()
	frame, err := s.proc.Send(line(t.id))
	if err != nil {
		s.take(t.id)
		return ticket{}, err
	}
	t.frame = frame
	return t, nil
}

// take removes a pending request; nil if there is none of that id.
func (s *session) take(id int64) chan reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.pending[id]
	delete(s.pending, id)
	return ch
}

// exchange sends one request and waits for its answer. When ctx ends first the
// upstream is told, with our id, and the slot is free.
func (s *session) exchange(ctx context.Context, out *protocol.Outgoing, limit int) (protocol.Incoming, error) {
	t, err := s.send(func(id int64) []byte { return s.envelope.Request(id, out) })
	if err != nil {
		return protocol.Incoming{}, err
	}
	select {
	case r := <-t.reply:
		return s.finish(t, r, limit)
	case <-ctx.Done():
		if s.take(t.id) == nil { // answered at the same moment
			return s.finish(t, <-t.reply, limit)
		}
		if t.frame.Withdraw() {
			return protocol.Incoming{}, wire.Ended(ctx)
		}
		_, _ = s.proc.Send(wire.Cancelled(t.id)) // a full queue: the answer is dropped when it comes
		return protocol.Incoming{Sent: true}, wire.Ended(ctx)
	}
}

func (s *session) finish(t ticket, r reply, limit int) (protocol.Incoming, error) {
	if r.err != nil {
		return s.lost(t, r.err)
	}
	return wire.Settle(r.message, limit)
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

// end settles every pending request with why; later ones are refused with it.
// Only the first call counts.
func (s *session) end(err error) {
	why := wire.Unreadable(err)
	if child.ReasonOf(err) != "" {
		why = gateway.Because(gateway.CodeUnavailable, err, child.ReasonOf(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over != nil {
		return
	}
	s.over = why
	for id, ch := range s.pending {
		ch <- reply{err: why}
		delete(s.pending, id)
	}
}

// dispatch takes one line of stdout and reports whether it was a message that
// has business here.
func (s *session) dispatch(line []byte, whole bool) bool {
	if !whole {
		return s.spoil(line, gateway.Fail(gateway.CodeTooLarge))
	}
	m, err := protocol.ParseMessage(line, protocol.Limits{Bytes: s.link.opts.Child.LineLimit, Depth: s.link.opts.Depth})
	switch {
	case err != nil:
		return s.spoil(line, wire.Unreadable(err))
	case m.Method != "" && m.ID != nil:
		s.answer(m)
	case m.Method != "":
		s.note(m)
	default:
		return s.settle(m)
	}
	return true
}

// settle gives a response to the request of its id. One that is unknown,
// repeated or no longer wanted is dropped and counted.
func (s *session) settle(m protocol.Message) bool {
	if id, ok := wire.ID(m.ID); ok {
		if ch := s.take(id); ch != nil {
			ch <- reply{message: m}
			return true
		}
	}
	s.link.Counters.Stray.Add(1)
	return false
}

// spoil fails the request that an unreadable line was meant to answer, if that
// can be told, so that nobody waits for what will not come.
func (s *session) spoil(line []byte, why *gateway.Error) bool {
	s.link.Counters.Unreadable.Add(1)
	for _, id := range salvage(line) {
		if ch := s.take(id); ch != nil {
			ch <- reply{err: why}
			break
		}
	}
	return false
}

// answer serves the one request of an upstream that needs no host, and refuses
// the others: we declared no capability for them.
func (s *session) answer(m protocol.Message) {
	if m.Method == protocol.MethodPing {
		_, _ = s.proc.Send(protocol.AppendResponse(nil, m.ID, []byte("{}")))
		return
	}
	s.link.Counters.Refused.Add(1)
	_, _ = s.proc.Send(protocol.AppendErrorResponse(nil, m.ID, protocol.RPCMethodNotFound, "not supported", nil))
}

func (s *session) note(m protocol.Message) {
	if m.Method != protocol.NotificationToolsChanged {
		s.link.Counters.Notifications.Add(1)
		return
	}
	if s.link.opts.OnChanged != nil {
		s.link.opts.OnChanged()
	}
}

// listen asks a modern server to tell of changes. Its answer comes when the
// stream ends, and a refusal costs nothing: the list is fetched by its age.
func (s *session) listen() {
	_, _ = s.send(func(id int64) []byte { return s.envelope.Request(id, wire.Listen()) })
}
