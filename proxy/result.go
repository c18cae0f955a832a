package proxy

import (
	"context"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// checkOutput holds the upstream's result against its contract, in this order:
// the kind of result, isError, the pinned output schema (2026-07-28, Tools,
// Output Schema: structuredContent is required where one is declared). The
// call was executed, whatever is found here.
func checkOutput(_ context.Context, c *Call) error {
	result := c.Incoming.Result
	c.Outcome = gateway.OutcomeCommitted
	if raw, ok := protocol.Member(result, "resultType"); ok {
		if kind, _ := protocol.Text(raw); kind != protocol.ResultComplete {
			return gateway.Because(gateway.CodeContractViolation, errors.New("resultType is not complete"), gateway.ReasonResultType)
		}
	}
	if raw, ok := protocol.Member(result, "isError"); ok && string(raw) == "true" {
		c.Outcome = gateway.OutcomeFailed
		c.business = true
		return nil
	}
	if content, ok := protocol.Member(result, "content"); ok && protocol.Kind(content) != '[' {
		return gateway.Because(gateway.CodeContractViolation, errors.New("content is not an array"), gateway.ReasonResultShape)
	}
	return checkStructured(c, result)
}

func checkStructured(c *Call, result []byte) error {
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
		return gateway.Because(gateway.CodeContractViolation, err, gateway.ReasonOutputSchema)
	}
	return nil
}

// redact makes the result safe to pass on. Where that changed what the output
// schema speaks of, the schema is asked again.
func (g *Gateway) redact(_ context.Context, c *Call) error {
	id := c.Item.Item().ID.Upstream
	clean, err := g.Redactor.Result(c.Incoming.Result)
	if c.business {
		clean, err = g.Redactor.Business(c.Incoming.Result, id)
	}
	if err != nil {
		return err
	}
	if clean.Changed() && !c.business {
		if err := checkStructured(c, clean.Bytes()); err != nil {
			return err
		}
	}
	c.Clean = clean
	c.Result = g.hop.Result(clean.Bytes(), c.Era == audit.Modern)
	return nil
}
