package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/rego"
)

// callStages are the corridor of tools/call. Each stage answers one question;
// their order is proved by the facts they need and set.
func (g *Gateway) callStages() []Stage {
	return []Stage{
		{Name: "resolve", Needs: []Fact{FactRequest}, Sets: []Fact{FactResolved}, Run: g.resolve},
		{Name: "visible", Needs: []Fact{FactResolved, FactPrincipal}, Sets: []Fact{FactTool, FactVisible}, Run: g.visible},
		{Name: "checkInput", Needs: []Fact{FactTool, FactVisible}, Sets: []Fact{FactArguments}, Run: checkInput},
		{Name: "recheck", Needs: []Fact{FactVisible}, Sets: []Fact{FactCurrent}, Run: g.recheck},
		{Name: "decide", Needs: []Fact{FactArguments, FactCurrent}, Sets: []Fact{FactPermit}, Run: decide},
		{Name: "admit", Needs: []Fact{FactPermit}, Sets: []Fact{FactSlot}, Run: g.admit, Settle: giveBack},
		{Name: "intend", Needs: []Fact{FactPermit, FactSlot}, Sets: []Fact{FactIntent}, Run: g.intend, Settle: g.conclude},
		{Name: "forward", Needs: []Fact{FactTool, FactPermit, FactIntent}, Sets: []Fact{FactIncoming}, Run: g.forward},
		{Name: "checkOutput", Needs: []Fact{FactIncoming}, Sets: []Fact{FactChecked}, Run: checkOutput},
		{Name: "redact", Needs: []Fact{FactChecked}, Sets: []Fact{FactClean}, Run: g.redact},
	}
}

// resolve finds the pinned tool that the exposed name means, byte for byte, or
// why there is none.
func (g *Gateway) resolve(_ context.Context, c *Call) error {
	raw, _ := protocol.Member(c.Request.Params, "name")
	name, ok := protocol.Text(raw)
	if !ok {
		return gateway.Fail(gateway.CodeInvalidParams)
	}
	c.Name = name
	if args, ok := protocol.Member(c.Request.Params, "arguments"); ok {
		if protocol.Kind(args) != '{' {
			return gateway.Fail(gateway.CodeInvalidParams)
		}
		c.Arguments = args
	}
	c.Catalog = g.current()
	c.Item, c.missing = c.Catalog.Resolve(gateway.KindTool, c.Scope, name)
	return nil
}

// visible asks the same question as a list does, from the same cache. It asks
// it also for a name that means nothing here, so that absent, quarantined and
// hidden tools cost the same; the event alone tells them apart.
func (g *Gateway) visible(ctx context.Context, c *Call) error {
	view, _, err := g.view(ctx, c)
	if err != nil {
		return err
	}
	if c.missing != "" {
		return gateway.Fail(gateway.CodeUnknownTool, c.missing)
	}
	if !view.Has(c.Item.Item().Index) {
		return gateway.Fail(gateway.CodeUnknownTool, gateway.ReasonNotVisible)
	}
	return nil
}

// checkInput holds the arguments against the pinned schema, and the headers
// that mirror them (2026-07-28, Custom Headers from Tool Parameters). A tool
// with side effects takes no argument that its schema does not declare.
func checkInput(_ context.Context, c *Call) error {
	tool := c.Item.Item()
	args := c.Arguments
	if args == nil {
		args = noArguments
	}
	if c.Era == audit.Modern && c.Header != nil {
		if err := protocol.CheckParams(c.Header, tool.Definition.Mirrors, args); err != nil {
			return err
		}
	}
	violations, err := tool.Definition.Input.Check(args)
	if err != nil {
		return gateway.Because(gateway.CodeInvalidArguments, err)
	}
	if len(violations) == 0 && tool.Facts.Class() != gateway.Read {
		violations = tool.Definition.Input.Undeclared(args)
	}
	if len(violations) > 0 {
		e := gateway.Fail(gateway.CodeInvalidArguments)
		e.Violations = violations
		return e
	}
	return nil
}

var noArguments = []byte("{}")

// recheck holds a destructive tool against the newest snapshot, after asking
// its upstream for the list that it serves now.
func (g *Gateway) recheck(ctx context.Context, c *Call) error {
	tool := c.Item.Item()
	if tool.Facts.Class() != gateway.Destructive || tool.Record == nil {
		return nil
	}
	if err := g.Refresh.Refresh(ctx, tool.ID.Upstream); err != nil {
		return gateway.Because(gateway.CodeUnavailable, err, gateway.ReasonUpstreamDown)
	}
	if reason := g.Registry.Snapshot().Holds(c.Item); reason != "" {
		return gateway.Fail(gateway.CodeQuarantined, reason)
	}
	return nil
}

// decide asks policy about this very call.
func decide(ctx context.Context, c *Call) error {
	tool := c.Item.Item()
	c.Decision = c.World.Policy.Decide(ctx, c.Principal, c.Catalog.resources[tool.Index], c.Arguments, rego.Context{
		Era:       string(c.Era),
		Revision:  c.Revision,
		Transport: c.Transport,
		Time:      c.started,
	})
	permit, ok := c.Decision.Permit()
	if ok {
		c.Permit = permit
		return nil
	}
	code := gateway.CodeForbidden
	switch {
	case c.Decision.Effect == gateway.Ask:
		code = gateway.CodeApprovalRequired
	case unanswered(c.Decision.Reasons):
		code = gateway.CodePolicyUnavailable
	}
	return gateway.Fail(code, c.Decision.Reasons...)
}

// unanswered says whether policy failed rather than refused.
func unanswered(reasons []gateway.Reason) bool {
	for _, r := range reasons {
		switch r {
		case gateway.ReasonPolicyError, gateway.ReasonPolicyTimeout:
			return true
		}
	}
	return false
}

// admit takes a place at the upstream, before anything is put on record: an
// upstream that is full costs its own callers only.
func (g *Gateway) admit(_ context.Context, c *Call) error {
	id := c.Item.Item().ID.Upstream
	if c.World.Upstreams[id] == nil {
		return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonUpstreamDown)
	}
	leave, ok := g.slots.Enter("upstream|"+id, c.World.Limits.PerUpstream)
	if !ok {
		e := gateway.Fail(gateway.CodeUnavailable, gateway.ReasonBusy)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.release = append(c.release, leave)
	return nil
}

// forward sends the call: only with a pinned tool and a permit for it, built
// from nothing that the host sent but name and arguments.
func (g *Gateway) forward(ctx context.Context, c *Call) error {
	tool := c.Item.Item()
	if !c.Item.Valid() || !c.Permit.Valid() {
		return gateway.Because(gateway.CodeInternal, errors.New("forward without a pinned tool and a permit"))
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	in, err := c.World.Upstreams[tool.ID.Upstream].Call(ctx, protocol.Outgoing{
		Method:      protocol.MethodToolsCall,
		Name:        tool.ID.Name,
		Params:      callParams(tool.ID.Name, c.Arguments),
		Arguments:   c.Arguments,
		Mirrors:     tool.Definition.Mirrors,
		TraceParent: c.Request.Meta.TraceParent,
		Limit:       c.World.Limits.Result,
	})
	c.Incoming = in
	if err != nil {
		return g.lost(c, err)
	}
	if in.Error != nil {
		return g.refusedUpstream(c, in.Error)
	}
	return nil
}

func callParams(name string, args []byte) []byte {
	p := append(make([]byte, 0, len(name)+len(args)+32), `{"name":`...)
	p = protocol.AppendString(p, name)
	if args != nil {
		p = append(append(p, `,"arguments":`...), args...)
	}
	return append(p, '}')
}

// timeout is the shortest of what the reviewer and the operator allow.
func (c *Call) timeout() time.Duration {
	d := c.World.Limits.CallTimeout
	if t := c.Item.Item().Timeout; t > 0 && t < d {
		return t
	}
	return d
}

// lost judges an exchange without an answer. What may have run and has side
// effects has an unknown outcome, which no timeout turns into "not executed".
func (g *Gateway) lost(c *Call, err error) error {
	e := asError(err)
	switch {
	case !c.Incoming.Sent:
		c.Outcome = gateway.OutcomeFailed
		if e.Code != gateway.CodeCancelled && e.Code != gateway.CodeTimeout {
			e.Code = gateway.CodeUnavailable
		}
	case c.Item.Item().Facts.Class() == gateway.Read:
		c.Outcome = gateway.OutcomeFailed
	default:
		c.Outcome = gateway.OutcomeUnknown
		e.Code = gateway.CodeOutcomeUnknown
	}
	return e
}

// refusedUpstream judges a JSON-RPC error of the upstream. Its text stays here.
// An unknown tool means that our list is old.
func (g *Gateway) refusedUpstream(c *Call, rpc *protocol.RPCError) error {
	c.Outcome = gateway.OutcomeFailed
	cause := fmt.Errorf("the upstream answered with JSON-RPC error %d", rpc.Code)
	switch rpc.Code {
	case protocol.RPCInvalidParams, protocol.RPCMethodNotFound:
		g.Refresh.Stale(c.Item.Item().ID.Upstream)
	default:
		if c.Item.Item().Facts.Class() != gateway.Read {
			c.Outcome = gateway.OutcomeUnknown
			return gateway.Because(gateway.CodeOutcomeUnknown, cause)
		}
	}
	return gateway.Because(gateway.CodeExecutionError, cause)
}
