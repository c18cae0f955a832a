package stdio

import (
	"context"
	"sync"
	"sync/atomic"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/lifecycle"
)

// exchange is one message on its way. It is the Stream of its call.
type exchange struct {
	host      *host
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled atomic.Bool // by the host
	entered   chan struct{}
	once      sync.Once
	id        []byte // once it is noted as under way
	lasting   bool   // it ends with the host only; set before id
}

func (h *host) exchange(ctx context.Context) *exchange {
	x := &exchange{host: h, entered: make(chan struct{})}
	x.ctx, x.cancel = context.WithCancel(ctx)
	return x
}

// enter lets the next message in.
func (x *exchange) enter() { x.once.Do(func() { close(x.entered) }) }

// agree settles all for which the order of messages matters, and lets the next
// one in.
func (h *host) agree(ctx context.Context, c *proxy.Call) error {
	x := c.Own.(*exchange)
	if err := h.settle(c); err != nil {
		return err
	}
	switch {
	case c.Reply != nil:
		h.asks.Deliver(*c.Reply)
	case c.Request.Method == protocol.NotificationCancelled:
		h.cancelled(c.Request.Params)
	case c.Request.ID != nil:
		x.lasting = c.Request.Method == protocol.MethodSubscriptionsListen
		if err := h.begin(x, c.Request.ID); err != nil {
			return err
		}
	}
	x.enter()
	if err := h.wait(ctx, c); err != nil {
		return err
	}
	if c.Session != nil && dependsOnUpstreams(c) {
		h.following.Do(func() { h.announce(ctx, c) })
	}
	return nil
}

// announce tells a legacy host, from the first on that it asks of upstreams, what
// changed.
func (h *host) announce(ctx context.Context, c *proxy.Call) {
	follower := h.Gateway.Follow(ctx, c, &proxy.Memory{})
	h.work.Go(func() {
		_ = follower.Run(h.follow, func(method string, params []byte) error { // calls say too that audit is unavailable
			return h.write(protocol.AppendMessage(nil, nil, method, params))
		})
	})
}

// settle decides the era by the message, or holds the message against it.
func (h *host) settle(c *proxy.Call) error {
	switch {
	case c.Reply != nil:
	case h.era == audit.Legacy:
		if c.Request.Meta.Version != "" {
			return gateway.Fail(gateway.CodeUnsupportedVersion)
		}
		if c.Request.Method == protocol.MethodInitialize {
			return gateway.Fail(gateway.CodeMalformed, gateway.ReasonInitialized)
		}
	case h.era == "" && c.Request.Method == protocol.MethodInitialize && c.Request.Meta.Version == "":
		return h.initialize(c)
	case c.Request.ID != nil:
		return h.modern(c)
	}
	if h.session != nil {
		c.Session, c.Revision = h.session, h.session.Revision
	}
	return nil
}

func (h *host) initialize(c *proxy.Call) error {
	c.Era = audit.Legacy
	if c.Request.ID == nil {
		return gateway.Fail(gateway.CodeMalformed, gateway.ReasonMalformed, gateway.ReasonID)
	}
	agreed, err := lifecycle.Negotiate(c.Request.Params)
	if err != nil {
		return err
	}
	h.era, h.session = audit.Legacy, agreed
	c.Session, c.Revision = agreed, agreed.Revision
	return nil
}

// modern holds a request against what each of this revision must say (2026-07-28,
// Request Metadata).
func (h *host) modern(c *proxy.Call) error {
	declared := c.Request.Meta.Version
	switch {
	case declared == "" && c.Request.Method == protocol.MethodInitialize:
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	case declared != "" && c.Request.Meta.ClientCapabilities != nil && declared != protocol.Revision20260728:
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	}
	if err := c.Request.Meta.Complete(); err != nil {
		return err
	}
	if c.Request.Method != protocol.MethodDiscover {
		h.era = audit.Modern
	}
	return nil
}

// wait holds back what depends on the upstreams until they have listed.
func (h *host) wait(ctx context.Context, c *proxy.Call) error {
	if h.Ready == nil || !dependsOnUpstreams(c) {
		return nil
	}
	select {
	case <-h.Ready:
		return nil
	case <-ctx.Done():
		return gateway.Because(gateway.CodeCancelled, ctx.Err())
	}
}

func dependsOnUpstreams(c *proxy.Call) bool {
	if c.Request == nil || c.Request.ID == nil {
		return false
	}
	switch c.Request.Method {
	case protocol.MethodInitialize, protocol.MethodDiscover, protocol.MethodPing, protocol.MethodSetLevel:
		return false
	}
	return true
}

// begin notes a call under way, so that it can be cancelled. An id is in use
// once at a time.
func (h *host) begin(x *exchange, id []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls[string(id)] != nil {
		return gateway.Fail(gateway.CodeMalformed, gateway.ReasonIDInUse)
	}
	x.id = id
	h.calls[string(id)] = x
	return nil
}

func (h *host) finish(x *exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x.id != nil {
		delete(h.calls, string(x.id))
	}
}

// cancelled ends the call that a notification names, if it is under way.
func (h *host) cancelled(params []byte) {
	id, _ := protocol.Member(params, "requestId")
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.calls[string(id)]; x != nil {
		x.cancelled.Store(true)
		x.cancel()
	}
}

// hangUp ends what lasts until the host leaves.
func (h *host) hangUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.calls {
		if x.lasting {
			x.cancelled.Store(true)
			x.cancel()
		}
	}
}

// Notify implements proxy.Stream. A request that was cancelled has nothing more
// to be told.
func (x *exchange) Notify(_ context.Context, method string, params []byte) error {
	if x.cancelled.Load() {
		return context.Canceled
	}
	return x.host.write(protocol.AppendMessage(nil, nil, method, params))
}

// Ask implements proxy.Stream.
func (x *exchange) Ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	return x.host.asks.Do(ctx, x.host.gone, x.host.write, method, params)
}

// CanAsk implements proxy.Stream. A modern host takes no requests: what the
// gateway needs, it asks for in a result.
func (x *exchange) CanAsk(method string) bool {
	return x.host.session != nil && x.host.session.Answers(method)
}
