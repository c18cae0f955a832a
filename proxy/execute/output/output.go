package output

import (
	"errors"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry/uri"
)

// Tool: isError, then the pinned output schema (2026-07-28, Tools,
// Output Schema: structuredContent is required where one is declared).
func Tool(c *call.Call) error {
	result := c.Incoming.Result
	if raw, ok := protocol.Member(result, "isError"); ok && string(raw) == "true" {
		c.Outcome = gateway.OutcomeFailed
		c.Business = true
		return nil
	} else if ok && string(raw) != "false" && string(raw) != "null" {
		return Misshapen("isError is no boolean") // who reads it may take it for either
	}
	if content, ok := protocol.Member(result, "content"); ok {
		if err := blocks(content); err != nil {
			return err
		}
	}
	return Structured(c, result)
}

// blocks: content is a list of objects that say what they are. Of which kind it is,
// what is done to a block rests on.
func blocks(content []byte) error {
	if protocol.Kind(content) != '[' {
		return Misshapen("content is not an array")
	}
	for block := range protocol.Elements(content) {
		kind, _ := protocol.Lookup(block, "/type")
		if protocol.Kind(kind) != '"' {
			return Misshapen("a block of content without its type")
		}
	}
	return nil
}

// Structured holds structuredContent of a result against the pinned output schema.
func Structured(c *call.Call, result []byte) error {
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

// Messages: each message of a prompt has its content.
func Messages(c *call.Call) error {
	messages, _ := protocol.Member(c.Incoming.Result, "messages")
	if protocol.Kind(messages) != '[' {
		return Misshapen("messages is not an array")
	}
	for message := range protocol.Elements(messages) {
		if kind, _ := protocol.Lookup(message, "/content/type"); protocol.Kind(kind) != '"' {
			return Misshapen("a message without content of some type")
		}
	}
	return nil
}

// Contents: what comes back is what was asked for, or below it, or what the
// reviewed template stands for. Contents that claim to be anything else are not
// passed on under its name.
func Contents(c *call.Call) error {
	contents, _ := protocol.Member(c.Incoming.Result, "contents")
	if protocol.Kind(contents) != '[' {
		return Misshapen("contents is not an array")
	}
	for content := range protocol.Elements(contents) {
		raw, _ := protocol.Lookup(content, "/uri")
		claimed, ok := protocol.Text(raw)
		if !ok {
			return Misshapen("contents without uri")
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

// Misshapen is the failure of a result that is not of its shape.
func Misshapen(what string) error {
	return gateway.Because(gateway.CodeContractViolation, errors.New(what), gateway.ReasonResultShape)
}
