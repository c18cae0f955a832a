package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/execute/pace"
	"mcp-gateway/proxy/inquiry"
	"mcp-gateway/proxy/relay"
)

// forward sends the call: only with a pinned item and a permit for it, built from
// nothing that the host sent but what was judged. Where the upstream asks before
// it goes on and the host is one that can be asked on its open call, the rounds are
// gone through here.
func (x *Executor) forward(ctx context.Context, m *method, c *call.Call) error {
	if !c.Item.Valid() || !c.Permit.Valid() {
		return gateway.Because(gateway.CodeInternal, errors.New("forward without a pinned item and a permit"))
	}
	heard := relay.Open(ctx, c.Stream, x.cleaner(c), wish(c))
	defer heard.Close()
	name, params := m.params(c)
	out := x.outgoing(m, c, name, heard)
	out.Params = withRound(params, c.Round.Responses, c.Round.State)
	for round := 1; ; round++ {
		if err := x.exchange(ctx, c, out); err != nil {
			return err
		}
		if c.Era == audit.Modern || !asksNow(m, c) {
			return nil
		}
		responses, inner, err := x.interview(ctx, c, round)
		if err != nil {
			c.Outcome = gateway.OutcomeFailed // it asked, so it had not gone on
			return err
		}
		c.Round.Again = true
		out.Params = withRound(params, responses, inner)
	}
}

// outgoing is the call as the upstream room takes it.
func (x *Executor) outgoing(m *method, c *call.Call, name string, heard *relay.Relay) protocol.Outgoing {
	item := c.Item.Item()
	w := wish(c)
	out := protocol.Outgoing{
		Method:      c.Request.Method,
		Name:        name,
		Arguments:   c.Sent,
		Mirrors:     item.Definition.Mirrors,
		TraceParent: c.Request.Meta.TraceParent,
		Limit:       cmp.Or(c.World.Limits.Message, c.World.Limits.Result),
	}
	if heard != nil {
		out.Progress, out.LogLevel, out.Notify = w.Progress != nil, w.LogLevel, heard.Notify
	}
	out.Behalf = c.Behalf()
	if m.asks {
		out.Capabilities, out.Ask = inquiry.Relayed(answers(c), c.World.Extensions[item.ID.Upstream]), x.asker(c)
	}
	return out
}

// wish is what the host asked to hear during this request: of log messages, a
// modern host says it with each, a legacy one for its session.
func wish(c *call.Call) relay.Wish {
	w := relay.Wish{Progress: c.Request.Meta.ProgressToken}
	switch {
	case c.Era == audit.Modern:
		w.LogLevel = c.Request.Meta.LogLevel
	case c.Session != nil:
		w.LogLevel = c.Session.LogLevel()
	}
	return w
}

// exchange makes one round of the call. All its tries share the caller's time.
func (x *Executor) exchange(ctx context.Context, c *call.Call, out protocol.Outgoing) error {
	within, cancel := context.WithTimeout(ctx, c.Remaining())
	defer cancel()
	err := x.tries(within, c, out)
	if err == nil && c.Incoming.Error != nil && c.Incoming.Error.Code == protocol.RPCHeaderMismatch {
		if err := x.unchanged(ctx, c); err != nil {
			c.Outcome = gateway.OutcomeFailed
			return err
		}
		err = x.send(within, c, out)
	}
	if err != nil {
		return x.lost(c, err)
	}
	if c.Incoming.Error != nil {
		return x.refusedUpstream(c, c.Incoming.Error)
	}
	return nil
}

// tries sends the call, and again where its failure may pass and the call may run
// twice. Once a try may have run, no later one says that nothing was executed.
func (x *Executor) tries(ctx context.Context, c *call.Call, out protocol.Outgoing) error {
	for n, doubted := 1, c.Effect != nil && c.Effect.Doubted; ; n++ {
		err := x.send(ctx, c, out)
		if err == nil {
			return nil
		}
		if doubted && !c.Incoming.Sent {
			err = arrivedBefore(err)
		}
		doubted = doubted || c.Incoming.Sent
		c.Incoming.Sent = doubted
		if c.Effect != nil {
			c.Effect.Doubted = doubted
		}
		if !pace.Safe(c, &out) || !x.Retry.Again(ctx, n, err) {
			return err
		}
		c.Retries++
	}
}

// arrivedBefore is the error of a try that was not sent, after one that was: that the
// upstream is not there now does not say that nothing was executed.
func arrivedBefore(err error) error {
	e := call.AsError(err)
	if e.Code == gateway.CodeUnavailable {
		e.Code = gateway.CodeExecutionError
	}
	return e
}

func (x *Executor) send(ctx context.Context, c *call.Call, out protocol.Outgoing) (err error) {
	c.Incoming, err = c.World.Upstreams[c.Item.Item().ID.Upstream].Call(ctx, out)
	return err
}

// unchanged asks the upstream for its list after it found that our headers do not
// say what its definition asks for (2026-07-28, Server Validation). Only what is
// still the reviewed definition is sent again, once.
func (x *Executor) unchanged(ctx context.Context, c *call.Call) error {
	if err := x.Refresh.Refresh(ctx, c.Item.Item().ID.Upstream); err != nil {
		return gateway.Because(gateway.CodeExecutionError, err)
	}
	if reason := x.Sight.Holds(c.Item); reason != "" {
		return gateway.Fail(gateway.CodeQuarantined, reason)
	}
	return nil
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
func (x *Executor) refusedUpstream(c *call.Call, rpc *protocol.RPCError) error {
	c.Outcome = gateway.OutcomeFailed
	cause := fmt.Errorf("the upstream answered with JSON-RPC error %d", rpc.Code)
	item := c.Item.Item()
	switch rpc.Code {
	case protocol.RPCInvalidParams, protocol.RPCMethodNotFound, protocol.RPCResourceNotFound:
		return x.notThere(c, rpc.Code, cause)
	case protocol.RPCMissingCapability:
		e := gateway.Because(gateway.CodeMissingCapability, cause)
		if e.Needs = inquiry.Wanted(rpc.Data); e.Needs != nil {
			return e
		}
	case protocol.RPCHeaderMismatch, protocol.RPCUnsupportedVersion:
	default:
		if item.Facts.Class() != gateway.Read {
			c.Outcome = gateway.OutcomeUnknown
			return gateway.Because(gateway.CodeOutcomeUnknown, cause)
		}
	}
	return gateway.Because(gateway.CodeExecutionError, cause)
}

// notThere judges an error by which the upstream says that it does not know what
// is asked for: our list is old, or an argument means nothing to it.
func (x *Executor) notThere(c *call.Call, code int64, cause error) error {
	item := c.Item.Item()
	if item.ID.Kind != gateway.KindTemplate && c.Request.Method != protocol.MethodComplete {
		x.Refresh.Stale(item.ID.Upstream)
	}
	switch c.Request.Method {
	case protocol.MethodResourcesRead:
		if code != protocol.RPCMethodNotFound {
			return gateway.Because(gateway.CodeUnknownResource, cause)
		}
	case protocol.MethodPromptsGet:
		if code == protocol.RPCInvalidParams {
			return gateway.Because(gateway.CodeInvalidParams, cause)
		}
	case protocol.MethodComplete:
		if code != protocol.RPCMethodNotFound {
			return gateway.Because(gateway.CodeInvalidParams, cause)
		}
		c.Incoming = protocol.Incoming{Result: noSuggestions, Sent: true}
		return nil // a server that completes nothing has nothing to suggest
	}
	return gateway.Because(gateway.CodeExecutionError, cause)
}

var noSuggestions = []byte(`{"completion":{"values":[]}}`)
