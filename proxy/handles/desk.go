package handles

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/auth/handle"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
)

// Desk binds handles to principals. It is safe for concurrent use.
type Desk struct {
	Store handle.Store
	Keys  *keyring.Ring
}

// life is how long a handle is good where the review does not say.
const life = time.Hour

var (
	errTexts = errors.New("more texts among the arguments than are looked up")
	errGiven = errors.New("more handles in a result than are bound")
)

// Take refuses a call by which somebody uses a handle that was not given to him, or
// whose time is over.
func (d *Desk) Take(ctx context.Context, c *call.Call) error {
	item := c.Item.Item()
	facts := item.Facts.Handles
	if d == nil || item.ID.Kind != gateway.KindTool || !c.Catalog.Handles[item.ID.Upstream] || c.Arguments == nil {
		return nil
	}
	must := map[string]bool{} // key → it must be a handle
	add := func(strict bool) func(string) {
		return func(value string) {
			if len(must) <= mostTexts {
				key := d.key(c, value)
				must[key] = must[key] || strict
			}
		}
	}
	texts(c.Arguments, add(false))
	for _, pointer := range facts.Takes {
		at(c.Arguments, pointer, add(true))
	}
	if len(must) > mostTexts {
		return gateway.Because(gateway.CodeHandleInvalid, errTexts, gateway.ReasonHandleUnknown)
	}
	return d.judge(ctx, c, must)
}

func (d *Desk) judge(ctx context.Context, c *call.Call, must map[string]bool) error {
	if len(must) == 0 {
		return nil
	}
	keys := make([]string, 0, len(must))
	for key := range must {
		keys = append(keys, key)
	}
	found, err := d.Store.Holders(ctx, keys)
	if err != nil {
		return gateway.Because(gateway.CodeUnavailable, err, gateway.ReasonHandleStore)
	}
	held := map[string][]handle.Bound{}
	for _, b := range found {
		held[b.Key] = append(held[b.Key], b)
	}
	me := d.holder(c)
	for key, strict := range must {
		if reason := handle.Judge(held[key], me, c.Now(), strict); reason != "" {
			return gateway.Fail(gateway.CodeHandleInvalid, reason)
		}
	}
	return nil
}

// Give binds what the result hands out, before it leaves. A result whose handles
// can't be bound is withheld: it would let anybody use them.
func (d *Desk) Give(ctx context.Context, c *call.Call) error {
	facts := c.Item.Item().Facts.Handles
	if d == nil || len(facts.Gives) == 0 || c.Business || c.Outcome == gateway.OutcomeAwaiting {
		return nil
	}
	until := life
	if facts.Life > 0 {
		until = facts.Life
	}
	structured, _ := protocol.Member(c.Clean.Bytes(), "structuredContent")
	var bound []handle.Bound
	for _, pointer := range facts.Gives {
		at(structured, pointer, func(value string) {
			if len(bound) <= mostGiven {
				bound = append(bound, handle.Bound{Key: d.key(c, value), Holder: d.holder(c), Until: c.Now().Add(until)})
			}
		})
	}
	switch {
	case len(bound) == 0:
		return nil
	case len(bound) > mostGiven:
		return gateway.Because(gateway.CodeWithheld, errGiven, gateway.ReasonHandleStore)
	}
	if err := d.Store.Bind(ctx, c.Now(), bound); err != nil {
		return gateway.Because(gateway.CodeWithheld, err, gateway.ReasonHandleStore)
	}
	return nil
}

func (d *Desk) key(c *call.Call, value string) string {
	return handle.Key(d.Keys, "upstream "+c.Item.Item().ID.Upstream, value)
}

func (d *Desk) holder(c *call.Call) string { return handle.Key(d.Keys, "principal", c.Principal.ID()) }
