package execute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/proxy/throttle"
	"mcp-gateway/redact"
	"mcp-gateway/rego"
)

// Executor takes a call to its upstream and back.
type Executor struct {
	Sight    *sight.Sight
	Record   *record.Recorder
	Refresh  call.Refresher
	Slots    *throttle.Slots
	Redactor *redact.Redactor
	Hop      *present.Hop
}

// ToolsCall are the stages of tools/call. Each answers one question; their order
// is proved by the facts they need and set.
func (x *Executor) ToolsCall() []call.Stage {
	return []call.Stage{
		{Name: "resolve", Needs: []call.Fact{call.FactRequest}, Sets: []call.Fact{call.FactResolved}, Run: x.resolve},
		{Name: "visible", Needs: []call.Fact{call.FactResolved, call.FactPrincipal}, Sets: []call.Fact{call.FactItem, call.FactVisible}, Run: x.visible},
		{Name: "checkInput", Needs: []call.Fact{call.FactItem, call.FactVisible}, Sets: []call.Fact{call.FactArguments}, Run: checkInput},
		{Name: "recheck", Needs: []call.Fact{call.FactVisible}, Sets: []call.Fact{call.FactCurrent}, Run: x.recheck},
		{Name: "decide", Needs: []call.Fact{call.FactArguments, call.FactCurrent}, Sets: []call.Fact{call.FactPermit}, Run: decide},
		{Name: "admit", Needs: []call.Fact{call.FactPermit}, Sets: []call.Fact{call.FactSlot}, Run: x.admit, Settle: giveBack},
		{Name: "intend", Needs: []call.Fact{call.FactPermit, call.FactSlot}, Sets: []call.Fact{call.FactIntent}, Run: x.Record.Intend, Settle: x.Record.Conclude},
		{Name: "forward", Needs: []call.Fact{call.FactItem, call.FactPermit, call.FactIntent}, Sets: []call.Fact{call.FactIncoming}, Run: x.forward},
		{Name: "checkOutput", Needs: []call.Fact{call.FactIncoming}, Sets: []call.Fact{call.FactChecked}, Run: checkOutput},
		{Name: "redact", Needs: []call.Fact{call.FactChecked}, Sets: []call.Fact{call.FactClean}, Run: x.redact},
	}
}

// resolve finds the pinned tool that the exposed name means, byte for byte, or
// why there is none.
func (x *Executor) resolve(_ context.Context, c *call.Call) error {
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
	c.Catalog = x.Sight.Catalog()
	c.Item, c.Missing = c.Catalog.Resolve(gateway.KindTool, c.Scope, name)
	return nil
}

// visible asks the same question as a list does, from the same cache. It asks
// it also for a name that means nothing here, so that absent, quarantined and
// hidden tools cost the same; the event alone tells them apart.
func (x *Executor) visible(ctx context.Context, c *call.Call) error {
	view, _, err := x.Sight.View(ctx, c)
	if err != nil {
		return err
	}
	if c.Missing != "" {
		return gateway.Fail(gateway.CodeUnknownTool, c.Missing)
	}
	if !view.Has(c.Item.Item().Index) {
		return gateway.Fail(gateway.CodeUnknownTool, gateway.ReasonNotVisible)
	}
	return nil
}

// checkInput holds the arguments against the pinned schema, and the headers
// that mirror them (2026-07-28, Custom Headers from Tool Parameters). A tool
// with side effects takes no argument that its schema does not declare.
func checkInput(_ context.Context, c *call.Call) error {
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
func (x *Executor) recheck(ctx context.Context, c *call.Call) error {
	tool := c.Item.Item()
	if tool.Facts.Class() != gateway.Destructive || tool.Record == nil {
		return nil
	}
	if err := x.Refresh.Refresh(ctx, tool.ID.Upstream); err != nil {
		return gateway.Because(gateway.CodeUnavailable, err, gateway.ReasonUpstreamDown)
	}
	if reason := x.Sight.Holds(c.Item); reason != "" {
		return gateway.Fail(gateway.CodeQuarantined, reason)
	}
	return nil
}

// decide asks policy about this very call.
func decide(ctx context.Context, c *call.Call) error {
	tool := c.Item.Item()
	c.Decision = c.World.Policy.Decide(ctx, c.Principal, c.Catalog.Resources[tool.Index], c.Arguments, rego.Context{
		Era:       string(c.Era),
		Revision:  c.Revision,
		Transport: c.Transport,
		Time:      c.Started,
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
func (x *Executor) admit(_ context.Context, c *call.Call) error {
	id := c.Item.Item().ID.Upstream
	if c.World.Upstreams[id] == nil {
		return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonUpstreamDown)
	}
	leave, ok := x.Slots.Enter("upstream|"+id, c.World.Limits.PerUpstream)
	if !ok {
		e := gateway.Fail(gateway.CodeUnavailable, gateway.ReasonBusy)
		e.RetryAfter = throttle.Retry
		return e
	}
	c.Release = append(c.Release, leave)
	return nil
}

// forward sends the call: only with a pinned tool and a permit for it, built
// from nothing that the host sent but name and arguments.
func (x *Executor) forward(ctx context.Context, c *call.Call) error {
	tool := c.Item.Item()
	if !c.Item.Valid() || !c.Permit.Valid() {
		return gateway.Because(gateway.CodeInternal, errors.New("forward without a pinned tool and a permit"))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout(c))
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
		return x.lost(c, err)
	}
	if in.Error != nil {
		return x.refusedUpstream(c, in.Error)
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
func timeout(c *call.Call) time.Duration {
	d := c.World.Limits.CallTimeout
	if t := c.Item.Item().Timeout; t > 0 && t < d {
		return t
	}
	return d
}

// lost judges an exchange without an answer. What may have run and has side
// effects has an unknown outcome, which no timeout turns into "not executed".
func (x *Executor) lost(c *call.Call, err error) error {
	e := call.AsError(err)
	if e.Code == gateway.CodeTooLarge { // the answer was: the host's own message was not
		e = gateway.Because(gateway.CodeContractViolation, e, gateway.ReasonResultTooLarge)
	}
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
func (x *Executor) refusedUpstream(c *call.Call, rpc *protocol.RPCError) error {
	c.Outcome = gateway.OutcomeFailed
	cause := fmt.Errorf("the upstream answered with JSON-RPC error %d", rpc.Code)
	switch rpc.Code {
	case protocol.RPCInvalidParams, protocol.RPCMethodNotFound:
		x.Refresh.Stale(c.Item.Item().ID.Upstream)
	default:
		if c.Item.Item().Facts.Class() != gateway.Read {
			c.Outcome = gateway.OutcomeUnknown
			return gateway.Because(gateway.CodeOutcomeUnknown, cause)
		}
	}
	return gateway.Because(gateway.CodeExecutionError, cause)
}

// giveBack returns what the call had taken.
func giveBack(_ context.Context, c *call.Call) error {
	c.GiveBack()
	return nil
}
