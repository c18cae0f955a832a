package exchange

import (
	"context"

	"mcp-gateway/protocol"
)

// maxAsks is how many questions one exchange may have open at a time.
const maxAsks = 8

// Ask deals with a request of the upstream; reply sends the answer, at once or
// when the host gave it, and may be called from another goroutine. own is the
// exchange on whose stream it came; nil for a stream of all, where a question
// belongs to the one call that runs. With several, the answer of one caller
// could end up in the call of another, so it is declined. Ask reports whether
// the request was not declined at once.
func (h *Hub) Ask(m protocol.Message, own *Exchange, reply func(line []byte)) bool {
	if m.Method == protocol.MethodPing {
		reply(protocol.AppendResponse(nil, m.ID, []byte("{}")))
		return true
	}
	x := own
	if x == nil && h.rules.Relay[m.Method] {
		x = h.sole()
	}
	if x == nil || !h.rules.Relay[m.Method] || x.Out.Ask == nil {
		h.decline(m, reply)
		return false
	}
	ctx, done, ok := x.ask(string(m.ID))
	if !ok {
		h.decline(m, reply)
		return false
	}
	go func() {
		defer done()
		result, err := x.Out.Ask(ctx, m.Method, m.Params)
		if err != nil || protocol.Kind(result) != '{' {
			h.decline(m, reply)
			return
		}
		reply(protocol.AppendResponse(nil, m.ID, result))
	}()
	return true
}

// decline answers with an error that names the method and nothing else.
func (h *Hub) decline(m protocol.Message, reply func(line []byte)) {
	h.rules.Counters.Refused.Add(1)
	reply(protocol.AppendErrorResponse(nil, m.ID, protocol.RPCMethodNotFound, m.Method+" is declined by the gateway", nil))
}

// ask opens a question of that id; false if there are too many, or it is open
// already.
func (x *Exchange) ask(id string) (ctx context.Context, done func(), ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || len(x.asks) >= maxAsks || x.asks[id] != nil {
		return nil, nil, false
	}
	if x.asks == nil {
		x.asks = make(map[string]context.CancelFunc)
	}
	ctx, cancel := context.WithCancel(x.ctx)
	x.asks[id] = cancel
	return ctx, func() {
		cancel()
		x.mu.Lock()
		delete(x.asks, id)
		x.mu.Unlock()
	}, true
}

// withdraw ends the question that the upstream takes back.
func (h *Hub) withdraw(m protocol.Message, own *Exchange) bool {
	id, _ := protocol.Member(m.Params, "requestId")
	x := own
	if x == nil {
		x = h.sole()
	}
	if x == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	cancel := x.asks[string(id)]
	if cancel != nil {
		cancel()
	}
	return cancel != nil
}
