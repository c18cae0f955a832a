package ruling

import (
	"context"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/oblige"
	"mcp-gateway/proxy/present"
	"mcp-gateway/redact"
	"mcp-gateway/rego"
)

// Release lets out what the decision, and the policy's rules about results, let
// out. What is held back was executed all the same, and its outcome stays. holds
// holds an edited result against the pinned schema.
func (r *Ruling) Release(ctx context.Context, c *call.Call, holds func(c *call.Call, result []byte) error) error {
	owed := &c.Decision.Obligations
	if c.Outcome == gateway.OutcomeAwaiting || owed.IsZero() && !c.World.Policy.JudgesResults() {
		return nil
	}
	paths := owed.MaskResult
	if c.World.Policy.JudgesResults() {
		v := c.World.Policy.JudgeResult(ctx, c.Principal, c.Catalog.Resources[c.Item.Item().Index], r.Circumstance(c), resultOf(c))
		switch v.Effect {
		case rego.ReleaseWhole:
		case rego.Redact:
			paths = append(append([]string(nil), paths...), v.Paths...)
		default:
			return gateway.Because(gateway.CodeWithheld, v.Err, v.Reasons...)
		}
	}
	if len(paths) > 0 {
		if err := r.mask(c, paths, holds); err != nil {
			return err
		}
	}
	if owed.ResultBytes > 0 && len(c.Result) > owed.ResultBytes {
		return gateway.Fail(gateway.CodeWithheld, gateway.ReasonResultOverBudget)
	}
	return nil
}

// mask takes out of a tool's result what may not be released. What is left must
// keep the pinned schema; of anything but a tool's result there is no telling
// where else the same stands.
func (r *Ruling) mask(c *call.Call, paths []string, holds func(*call.Call, []byte) error) error {
	if c.Request.Method != protocol.MethodToolsCall {
		return gateway.Fail(gateway.CodeWithheld, gateway.ReasonMaskedResult)
	}
	left := oblige.Result(c.Clean.Bytes(), paths, protocol.Limits{Bytes: c.World.Limits.Result, Depth: c.World.Limits.Depth})
	if !c.Business {
		if err := holds(c, left); err != nil {
			return gateway.Because(gateway.CodeWithheld, err, gateway.ReasonMaskedResult)
		}
	}
	if _, named := protocol.Lookup(c.Result, "/_meta/"+strings.ReplaceAll(redact.SourceKey, "/", "~1")); named {
		left = present.From(left, c.Item.Item().ID.Upstream)
	}
	c.Result = r.Hop.Result(left, c.Era == audit.Modern)
	return nil
}

// resultOf is what policy is told of a result: as it was cleaned.
func resultOf(c *call.Call) *rego.Result {
	raw := c.Clean.Bytes()
	out := &rego.Result{IsError: c.Business, Bytes: len(raw), Findings: c.Clean.Report().Codes()}
	for _, n := range c.Clean.Report().Redactions {
		out.Redactions = append(out.Redactions, n.Class)
	}
	out.Structured, _ = protocol.Member(raw, "structuredContent")
	for _, list := range [...]string{"content", "contents", "messages"} {
		blocks, _ := protocol.Member(raw, list)
		for block := range protocol.Elements(blocks) {
			if inner, ok := protocol.Member(block, "content"); ok && protocol.Kind(inner) == '{' {
				block = inner
			}
			if line, ok := text(block, "text"); ok {
				out.Texts = append(out.Texts, line)
			}
		}
	}
	return out
}
