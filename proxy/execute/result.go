package execute

import (
	"context"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
)

// checkOutput holds the upstream's result against its contract, in this order:
// the kind of result, isError, the pinned output schema (2026-07-28, Tools,
// Output Schema: structuredContent is required where one is declared). The
// call was executed, whatever is found here.
func checkOutput(_ context.Context, c *call.Call) error {
	result := c.Incoming.Result
	c.Outcome = gateway.OutcomeCommitted
	if raw, ok := protocol.Member(result, "resultType"); ok {
		if kind, _ := protocol.Text(raw); kind != protocol.ResultComplete {
			return gateway.Because(gateway.CodeContractViolation, errors.New("resultType is not complete"), gateway.ReasonResultType)
		}
	}
	if raw, ok := protocol.Member(result, "isError"); ok && string(raw) == "true" {
		c.Outcome = gateway.OutcomeFailed
		c.Business = true
		return nil
	}
	if content, ok := protocol.Member(result, "content"); ok && protocol.Kind(content) != '[' {
		return gateway.Because(gateway.CodeContractViolation, errors.New("content is not an array"), gateway.ReasonResultShape)
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
		return gateway.Because(gateway.CodeContractViolation, err, gateway.ReasonOutputSchema)
	}
	return nil
}

// redact makes the result safe to pass on. Where that changed what the output
// schema speaks of, the schema is asked again.
func (x *Executor) redact(_ context.Context, c *call.Call) error {
	id := c.Item.Item().ID.Upstream
	clean, err := x.Redactor.Result(c.Incoming.Result)
	if c.Business {
		clean, err = x.Redactor.Business(c.Incoming.Result, id)
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
	c.Result = x.Hop.Result(clean.Bytes(), c.Era == audit.Modern)
	return nil
}
