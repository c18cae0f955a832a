package listen

import (
	"context"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
)

// Follower tells the host of a legacy session what changes.
type Follower struct{ interest *interest }

// Follow notes what the principal of a call sees now, from which Run goes on,
// unless the session's memory knows what it saw before. The call is the one that
// the host's stream belongs to.
func (l *Listener) Follow(ctx context.Context, c *call.Call, memory *Memory) *Follower {
	own := *c // c is answered meanwhile
	own.Request, own.OnRecord = nil, false
	own.Heard = call.Subscription{Tools: true, Prompts: true, Resources: true, Wanted: &c.Session.Wanted}
	x := l.interest(&own, memory)
	if !memory.knows() {
		x.note(ctx)
	}
	return &Follower{x}
}

// Run tells of changes until ctx ends, the gateway stops, or the credential of
// the call is good no more. An error says that it can't be put on record; then
// nothing is told.
func (f *Follower) Run(ctx context.Context, tell func(method string, params []byte) error) error {
	x := f.interest
	x.call.Started = x.call.Clock()
	if err := x.listener.Record.Opened(ctx, x.call); err != nil {
		return err
	}
	x.tell = func(method string, members []byte) error {
		if len(members) == 0 {
			return tell(method, nil)
		}
		return tell(method, append(append([]byte{'{'}, members...), '}'))
	}
	x.call.Heard.Ended = x.run(ctx)
	return x.listener.Record.Closed(ctx, x.call)
}

// Subscribe are the stages of resources/subscribe (2025-11-25, Resources,
// Subscriptions): what may be subscribed to is what may be read.
func (l *Listener) Subscribe() []call.Stage {
	return []call.Stage{
		{Name: "resolve", Needs: []call.Fact{call.FactRequest, call.FactPrincipal}, Sets: []call.Fact{call.FactVisible},
			Run: l.subscribe, Settle: withdraw},
		{Name: "note", Needs: []call.Fact{call.FactVisible}, Run: l.Record.Opened},
	}
}

// Unsubscribe are the stages of resources/unsubscribe.
func (l *Listener) Unsubscribe() []call.Stage {
	return []call.Stage{
		{Name: "resolve", Needs: []call.Fact{call.FactRequest, call.FactPrincipal}, Sets: []call.Fact{call.FactVisible}, Run: unsubscribe},
		{Name: "note", Needs: []call.Fact{call.FactVisible}, Run: l.Record.Unsubscribed},
	}
}

func (l *Listener) subscribe(ctx context.Context, c *call.Call) error {
	raw, _ := protocol.Member(c.Request.Params, "uri")
	normal, spelled, err := readURI(raw)
	if err != nil {
		return err
	}
	now, end, err := l.stand(ctx, c)
	switch {
	case end != "":
		return gateway.Fail(gateway.CodeUnauthenticated, end)
	case err != nil:
		return gateway.Because(gateway.CodePolicyUnavailable, err)
	}
	if c.Item, err = now.resource(ctx, normal); err != nil {
		return err
	}
	if !c.Session.Wanted.Add(normal, spelled, MaxResources) {
		return gateway.Fail(gateway.CodeSubscriptionLimit)
	}
	c.Heard.Wanted = &lifecycle.Wanted{}
	c.Heard.Wanted.Add(normal, spelled, 1)
	c.Result = []byte("{}")
	return nil
}

// withdraw takes back what could not be put on record.
func withdraw(_ context.Context, c *call.Call) error {
	if c.Err == nil || c.Heard.Wanted == nil {
		return nil
	}
	wanted, _ := c.Heard.Wanted.All()
	for normal := range wanted {
		c.Session.Wanted.Remove(normal)
	}
	return nil
}

// unsubscribe takes any URI: what is not wanted is not told of already.
func unsubscribe(_ context.Context, c *call.Call) error {
	raw, _ := protocol.Member(c.Request.Params, "uri")
	normal, _, err := readURI(raw)
	if protocol.Kind(raw) != '"' {
		return err
	}
	c.Session.Wanted.Remove(normal)
	c.Result = []byte("{}")
	return nil
}
