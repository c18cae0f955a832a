package exchange

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/wire"
)

// Counters count what an upstream sent that reached nobody.
type Counters struct {
	Stray         atomic.Int64 // responses to no request of ours, or to one already answered or given up
	Unreadable    atomic.Int64 // messages that were none
	Refused       atomic.Int64 // requests of the upstream, declined
	Notifications atomic.Int64 // that belonged to no exchange, or were not asked for
}

// Rules say what an upstream's own messages may do.
type Rules struct {
	Relay    map[string]bool                    // methods that a legacy upstream may ask
	Note     func(method string, params []byte) // told of changes: list_changed and updated; must not block
	Counters *Counters
	Pace     *rate.Limiter // of what is no answer, over all connections to the upstream; nil = none
}

// NewPace returns the pace at which an upstream is heard: far above what any says that
// has something to say, and far below what would keep a processor busy.
func NewPace() *rate.Limiter { return rate.NewLimiter(4000, 1000) }

// Pace waits until one more message that is no answer may be heard, so that whoever
// floods us waits for itself. An error means that ctx ends before.
func (h *Hub) Pace(ctx context.Context) error {
	if h.rules.Pace == nil {
		return nil
	}
	return h.rules.Pace.Wait(ctx)
}

// Hub holds the exchanges that are open on one connection.
type Hub struct {
	rules Rules

	mu   sync.Mutex
	last int64 // the id given last; ids are never used twice
	open map[int64]*Exchange
}

// NewHub returns a hub without exchanges.
func NewHub(r Rules) *Hub { return &Hub{rules: r, open: make(map[int64]*Exchange)} }

// Open numbers a request. What belongs to it ends with ctx, or with Close.
func (h *Hub) Open(ctx context.Context, out *protocol.Outgoing) *Exchange {
	x := &Exchange{Out: out, ctx: ctx, reply: make(chan Reply, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	x.ID = h.last
	h.open[x.ID] = x
	return x
}

// Close ends an exchange: nothing is told or asked of it any more.
func (h *Hub) Close(x *Exchange) {
	h.take(x.ID)
	x.close()
}

// take removes an exchange; nil if there is none of that id.
func (h *Hub) take(id int64) *Exchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.open[id]
	delete(h.open, id)
	return x
}

// find returns the open exchange whose id a lexeme is, or nil.
func (h *Hub) find(lexeme []byte) *Exchange {
	id, _ := wire.ID(lexeme)
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[id]
}

// sole returns the one exchange that runs something, or nil if there are more:
// then nobody can tell whose a message is.
func (h *Hub) sole() *Exchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	var one *Exchange
	for _, x := range h.open {
		switch {
		case !x.runs():
		case one != nil:
			return nil
		default:
			one = x
		}
	}
	return one
}

// Note gives a notification to whom it belongs and reports whether it did. own
// is the exchange on whose stream it came; nil for a stream of all.
func (h *Hub) Note(m protocol.Message, own *Exchange) bool {
	taken := false
	switch m.Method {
	case protocol.NotificationProgress:
		token, _ := protocol.Member(m.Params, protocol.MetaProgressToken)
		x := h.find(token)
		taken = x != nil && (own == nil || own == x) && x.advance(m.Params)
	case protocol.NotificationMessage:
		taken = h.message(m, own)
	case protocol.NotificationCancelled:
		taken = h.withdraw(m, own)
	case protocol.NotificationSubscriptionsStarted:
		id, _ := protocol.Lookup(m.Params, subscriptionID)
		x := h.find(id)
		taken = x != nil && (own == nil || own == x) && x.tell(m.Method, m.Params)
	case protocol.NotificationToolsChanged, protocol.NotificationPromptsChanged,
		protocol.NotificationResourcesChanged, protocol.NotificationResourceUpdated:
		if h.rules.Note != nil {
			h.rules.Note(m.Method, m.Params)
		}
		return true
	}
	if !taken {
		h.rules.Counters.Notifications.Add(1)
	}
	return taken
}

// subscriptionID points at the id of the listen that a notification is for.
const subscriptionID = "/_meta/io.modelcontextprotocol~1subscriptionId"

// message gives a log message to the caller who wants that severity.
func (h *Hub) message(m protocol.Message, own *Exchange) bool {
	x := own
	if x == nil {
		x = h.sole()
	}
	if x == nil || x.Out.LogLevel == "" {
		return false
	}
	value, _ := protocol.Member(m.Params, "level")
	level, _ := protocol.Text(value)
	return severity(level) >= severity(x.Out.LogLevel) && x.tell(m.Method, m.Params)
}
