package listen

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/throttle"
)

// Stages are the corridor of subscriptions/listen (2026-07-28, Subscriptions).
func (l *Listener) Stages() []call.Stage {
	return []call.Stage{
		{Name: "agree", Needs: []call.Fact{call.FactRequest, call.FactPrincipal}, Sets: []call.Fact{call.FactVisible},
			Run: l.agree, Settle: giveBack},
		{Name: "open", Needs: []call.Fact{call.FactVisible}, Sets: []call.Fact{call.FactIntent}, Run: l.Record.Opened, Settle: l.Record.Closed},
		{Name: "listen", Needs: []call.Fact{call.FactIntent}, Run: l.serve},
	}
}

// agree judges what the host asks for, and takes a place among those who listen.
// Who listens takes no place among those who call.
func (l *Listener) agree(ctx context.Context, c *call.Call) error {
	if c.Stream == nil {
		return gateway.Fail(gateway.CodeNotAcceptable)
	}
	now, end, err := l.stand(ctx, c)
	switch {
	case end != "":
		return gateway.Fail(gateway.CodeUnauthenticated, end)
	case err != nil:
		return gateway.Because(gateway.CodePolicyUnavailable, err)
	}
	if c.Heard, err = agree(ctx, now, c.Request.Params); err != nil {
		return err
	}
	leave, ok := l.slots.Enter(c.Principal.ID(), c.World.Limits.Subscriptions)
	if !ok {
		e := gateway.Fail(gateway.CodeSubscriptionLimit)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.GiveBack()
	c.Release = append(c.Release, leave)
	return nil
}

// serve acknowledges first, and tells until the host leaves or the gateway ends it.
func (l *Listener) serve(ctx context.Context, c *call.Call) error {
	own := append([]byte(`"_meta":{"`+protocol.MetaSubscriptionID+`":`), c.Request.ID...)
	own = append(own, '}')
	tell := func(method string, members []byte) error {
		params := append(append(make([]byte, 0, len(own)+len(members)+3), '{'), own...)
		if len(members) > 0 {
			params = append(append(params, ','), members...)
		}
		return c.Stream.Notify(ctx, method, append(params, '}'))
	}
	x := l.interest(c, &Memory{})
	x.tell = tell
	x.note(ctx)
	c.Heard.Ended = gateway.ReasonHostLeft
	agreed := appendAgreed([]byte(`"`+notificationsMember+`":`), &c.Heard, c.Request.Params)
	if tell(protocol.NotificationSubscriptionsStarted, agreed) == nil {
		c.Heard.Ended = x.run(ctx)
		l.end(c, tell)
	}
	c.Result = append([]byte(`{"resultType":"complete",`), own[:len(own)-1]...)
	c.Result = append(append(c.Result, ','), l.Hop.AppendMeta(nil)[1:]...)
	c.Result = append(c.Result, '}')
	return nil
}

// end withdraws the request that the host made, before it is answered (2026-07-28,
// Cancellation: the one use of this notification by servers). A context that has
// ended tells over HTTP that the host left; over stdio, where it ends with the
// gateway too, the host is there to be told.
func (l *Listener) end(c *call.Call, tell func(string, []byte) error) {
	left := c.Heard.Ended == gateway.ReasonHostLeft
	if left {
		c.Heard.Ended = gateway.ReasonStopping
	}
	params := append(append([]byte(`"requestId":`), c.Request.ID...), `,"reason":"`...)
	params = append(append(params, c.Heard.Ended...), '"')
	if tell(protocol.NotificationCancelled, params) != nil && left {
		c.Heard.Ended = gateway.ReasonHostLeft
	}
}

// giveBack returns what the call had taken.
func giveBack(_ context.Context, c *call.Call) error {
	c.GiveBack()
	return nil
}
