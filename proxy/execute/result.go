package execute

import (
	"errors"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/state"
	"mcp-gateway/redact"
	"mcp-gateway/registry/uri"
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

// checkToolResult: isError, then the pinned output schema (2026-07-28, Tools,
// Output Schema: structuredContent is required where one is declared).
func checkToolResult(c *call.Call) error {
	result := c.Incoming.Result
	if raw, ok := protocol.Member(result, "isError"); ok && string(raw) == "true" {
		c.Outcome = gateway.OutcomeFailed
		c.Business = true
		return nil
	}
	if content, ok := protocol.Member(result, "content"); ok && protocol.Kind(content) != '[' {
		return misshapen("content is not an array")
	}
	return checkStructured(c, result)
}

func checkStructured(c *call.Call, result []byte) error {
	output := c.Item.Item().Definition.Output
	if output == nil {
		return nil
	}
	structured, ok := protocol.Member(result, "structuredContent")
	if !ok {
		return gateway.Because(gateway.CodeContractViolation, errors.New("structuredContent is missing"), gateway.ReasonOutputMissing)
	}
	violations, err := output.Check(structured)
	if err == nil && len(violations) > 0 {
		err = errors.New("structuredContent breaks the output schema at " + violations[0].Pointer + " (" + violations[0].Keyword + ")")
	}
	if err != nil {
		return gateway.Because(gateway.CodeContractViolation, err, unkept(err))
	}
	return nil
}

// unkept says why a result may not be passed on that its schema does not vouch for.
func unkept(err error) gateway.Reason {
	var e *gateway.Error
	if errors.As(err, &e) && len(e.Reasons) > 0 {
		return e.Reasons[0]
	}
	return gateway.ReasonOutputSchema
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
		if err := checkStructured(c, clean.Bytes()); err != nil {
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

func checkMessages(c *call.Call) error {
	messages, _ := protocol.Member(c.Incoming.Result, "messages")
	if protocol.Kind(messages) != '[' {
		return misshapen("messages is not an array")
	}
	for message := range protocol.Elements(messages) {
		if content, _ := protocol.Lookup(message, "/content"); protocol.Kind(content) != '{' {
			return misshapen("a message without content")
		}
	}
	return nil
}

func cleanMessages(x *Executor, c *call.Call) (err error) {
	if c.Clean, err = x.cleaner(c).Prompt(c.Incoming.Result); err == nil {
		c.Result = x.Hop.Result(x.sourced(c), c.Era == audit.Modern)
	}
	return err
}

// checkContents: what comes back is what was asked for, or below it, or what the
// reviewed template stands for. Contents that claim to be anything else are not
// passed on under its name.
func checkContents(c *call.Call) error {
	contents, _ := protocol.Member(c.Incoming.Result, "contents")
	if protocol.Kind(contents) != '[' {
		return misshapen("contents is not an array")
	}
	for content := range protocol.Elements(contents) {
		raw, _ := protocol.Lookup(content, "/uri")
		claimed, ok := protocol.Text(raw)
		if !ok {
			return misshapen("contents without uri")
		}
		if !belongs(c, claimed) {
			return gateway.Because(gateway.CodeContractViolation, errors.New("contents of another resource"), gateway.ReasonForeignURI)
		}
	}
	return nil
}

func belongs(c *call.Call, claimed string) bool {
	normal, err := uri.Normalize(claimed)
	if err != nil {
		return false
	}
	return normal == c.Name || strings.HasPrefix(normal, strings.TrimSuffix(c.Name, "/")+"/") ||
		c.Item.Item().Definition.Template.Matches(normal)
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
		c.Result = x.Hop.Result(c.Clean.Bytes(), c.Era == audit.Modern)
	}
	return err
}

func misshapen(what string) error {
	return gateway.Because(gateway.CodeContractViolation, errors.New(what), gateway.ReasonResultShape)
}
