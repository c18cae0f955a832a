package legacy

import (
	"context"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/sse"
)

// exchange is one POST on its way.
type exchange struct {
	writer  *sse.Writer
	cancel  context.CancelFunc // of the call
	session *session           // once it is known; busy until the exchange ends
	fresh   bool               // the session begins with this exchange
	id      []byte             // of the call, once it is noted as under way
}

// agree finds the session that the decoded message belongs to, or begins one.
func (f *Front) agree(_ context.Context, c *proxy.Call) error {
	x := c.Own.(*exchange)
	switch {
	case c.Request != nil && c.Request.Meta.Version != "":
		return modern(c)
	case c.Request != nil && c.Request.Method == protocol.MethodInitialize:
		return f.begin(c, x)
	}
	if err := f.enter(c, x); err != nil {
		return err
	}
	if c.Request != nil { // these revisions ask for no such headers; one that is there must not lie to who reads it on the way
		if err := protocol.CheckHeaders(c.Header, c.Request, false); err != nil {
			return err
		}
	}
	switch {
	case c.Reply != nil:
		x.session.asks.Deliver(*c.Reply)
	case c.Request.Method == protocol.NotificationCancelled:
		if id, ok := protocol.Member(c.Request.Params, "requestId"); ok {
			x.session.cancel(id)
		}
	case c.Request.ID != nil:
		if err := x.session.begin(c.Request.ID, x.cancel); err != nil {
			return err
		}
		x.id = c.Request.ID
		if m := c.Request.Meta; m.ProgressToken != nil && c.Stream != nil {
			x.writer.KeepAlive()
		}
	}
	return nil
}

// modern refuses a body that names a revision of the modern era without its
// header, as the modern front refuses it: such a host belongs there.
func modern(c *proxy.Call) error {
	c.Era, c.Revision = audit.Modern, c.Request.Meta.Version
	return gateway.Wrong(gateway.CodeHeaderMismatch, protocol.HeaderVersion)
}

// begin starts a session (2025-11-25, Lifecycle, Initialization).
func (f *Front) begin(c *proxy.Call, x *exchange) error {
	if c.Request.ID == nil {
		return gateway.Fail(gateway.CodeMalformed, gateway.ReasonMalformed, gateway.ReasonID)
	}
	agreed, err := lifecycle.Negotiate(c.Request.Params)
	if err != nil {
		return err
	}
	s, err := f.sessions.add(c.Principal.ID(), c.Scope, agreed)
	if err != nil {
		return err
	}
	x.session, x.fresh = s, true
	c.Session, c.Revision = agreed, agreed.Revision
	return nil
}

// enter finds the session that the headers name, and holds the revision's header
// against what is served (2025-06-18, Protocol Version Header); before that
// revision hosts sent none.
func (f *Front) enter(c *proxy.Call, x *exchange) error {
	if said := c.Header.Get(protocol.HeaderVersion); said != "" && !slices.Contains(protocol.LegacyRevisions(), said) {
		return gateway.Fail(gateway.CodeUnsupportedVersion)
	}
	id := c.Header.Get(protocol.HeaderSession)
	if id == "" {
		return gateway.Wrong(gateway.CodeHeaderMismatch, protocol.HeaderSession)
	}
	s, err := f.sessions.enter(id, c.Principal.ID(), c.Scope)
	if err != nil {
		return err
	}
	x.session = s
	c.Session, c.Revision = s.agreed, s.agreed.Revision
	return nil
}

// leave ends the exchange's hold on its session. A session whose initialize was
// refused never was.
func (f *Front) leave(x *exchange, refused bool) {
	if x.session == nil {
		return
	}
	if x.id != nil {
		x.session.finish(x.id)
	}
	f.sessions.leave(x.session)
	if x.fresh && refused {
		f.sessions.end(x.session)
	}
}

// Notify implements proxy.Stream.
func (x *exchange) Notify(_ context.Context, method string, params []byte) error {
	return x.writer.Event(protocol.AppendMessage(nil, nil, method, params))
}

// Ask implements proxy.Stream. A host that left the request can't be answered
// any more, so that it isn't waited for.
func (x *exchange) Ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	if x.session == nil {
		return nil, sse.ErrAnswered
	}
	return x.session.asks.Do(ctx, x.writer.Gone(), x.writer.Event, method, params)
}

// CanAsk implements proxy.Stream.
func (x *exchange) CanAsk(method string) bool {
	return x.session != nil && x.session.agreed.Answers(method)
}
