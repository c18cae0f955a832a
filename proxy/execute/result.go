package execute

import (
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/execute/output"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/state"
	"mcp-gateway/redact"
)

// checkOutput holds the upstream's result against its contract, beginning with
// the kind of result. What is complete was executed, whatever is found here.
func (x *Executor) checkOutput(m *method, c *call.Call) (err error) {
	c.Incoming.Result = present.Foreign(c.Incoming.Result)
	if asksNow(m, c) {
		c.Outcome = gateway.OutcomeFailed
		if c.Clean, err = x.inquire(c); err == nil {
			c.Outcome = gateway.OutcomeAwaiting
		}
		return err
	}
	c.Outcome = gateway.OutcomeCommitted
	if raw, ok := protocol.Member(c.Incoming.Result, "resultType"); ok {
		if kind, _ := protocol.Text(raw); kind != protocol.ResultComplete {
			return effect.Doubt(c, gateway.Because(gateway.CodeContractViolation, errors.New("resultType is not complete"), gateway.ReasonResultType))
		}
	}
	if err := m.output(c); err != nil {
		return effect.Doubt(c, err)
	}
	if err := effect.Told(c); err != nil {
		return err
	}
	return effect.Evidence(c)
}

// redact makes the result safe to pass on. A result by which the upstream asks
// takes its state along under our seal.
func (x *Executor) redact(m *method, c *call.Call) error {
	if c.Outcome != gateway.OutcomeAwaiting {
		return m.clean(x, c)
	}
	left := state.State{Action: c.Action}
	if inner, _ := protocol.Member(c.Incoming.Result, "requestState"); protocol.Kind(inner) == '"' {
		left.Inner = inner
	}
	requests, _ := protocol.Member(c.Clean.Bytes(), "inputRequests")
	if protocol.Kind(requests) == '{' {
		for key := range protocol.Members(requests) {
			left.Asked = append(left.Asked, string(key))
		}
	}
	c.Result = x.Hop.Asking(c.Clean.Bytes(), state.Seal(x.Keys, binding(c), left, c.Now()))
	return nil
}

// cleanToolResult asks the output schema again where cleaning changed what it
// speaks of.
func cleanToolResult(x *Executor, c *call.Call) error {
	id := c.Item.Item().ID.Upstream
	clean, err := x.cleaner(c).Result(c.Incoming.Result)
	if c.Business {
		clean, err = x.cleaner(c).Business(c.Incoming.Result, id)
	}
	if err != nil {
		return err
	}
	if clean.Changed() && !c.Business {
		if err := output.Structured(c, clean.Bytes()); err != nil {
			return err
		}
	}
	c.Clean = clean
	c.Result = x.Hop.Result(x.sourced(c), c.Era == audit.Modern)
	return nil
}

// sourced names the source of a result in which something speaks to its reader, so
// that a host can tell whose words these are.
func (x *Executor) sourced(c *call.Call) []byte {
	if c.Business { // it was named there
		return c.Clean.Bytes()
	}
	named := x.cleaner(c).Names()
	for _, f := range c.Clean.Report().Findings {
		named = named || redact.IsMeaning(f.Code)
	}
	if !named {
		return c.Clean.Bytes()
	}
	return present.From(c.Clean.Bytes(), c.Item.Item().ID.Upstream)
}

// cleaner is what makes the content of the call's upstream safe to pass on.
func (x *Executor) cleaner(c *call.Call) *redact.Redactor {
	if r := c.World.Content[c.Item.Item().ID.Upstream]; r != nil {
		return r
	}
	return x.Redactor
}

func cleanMessages(x *Executor, c *call.Call) (err error) {
	if c.Clean, err = x.cleaner(c).Prompt(c.Incoming.Result); err == nil {
		c.Result = x.Hop.Result(x.sourced(c), c.Era == audit.Modern)
	}
	return err
}

func cleanContents(x *Executor, c *call.Call) (err error) {
	if c.Clean, err = x.cleaner(c).Contents(c.Incoming.Result); err == nil {
		keep := !c.Round.Again && c.Round.Responses == nil
		c.Result = x.Hop.Contents(x.sourced(c), c.Era == audit.Modern, keep)
	}
	return err
}

func cleanCompletion(x *Executor, c *call.Call) (err error) {
	if c.Clean, err = x.cleaner(c).Any(c.Incoming.Result); err == nil {
		c.Result = x.Hop.Result(x.sourced(c), c.Era == audit.Modern)
	}
	return err
}
