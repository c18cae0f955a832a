package record

import (
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/rego"
)

// describeDecision says what policy decided, by what input, and what it asked for
// besides.
func (r *Recorder) describeDecision(c *call.Call, e *audit.Event) {
	if c.Decision.Effect == "" {
		return
	}
	e.Effect, e.Obligations = c.Decision.Effect, owed(&c.Decision)
	if len(e.Reasons) == 0 {
		e.Reasons = c.Decision.Reasons
	}
	digest, fresh := c.Decision.InputDigest()
	if r.Inputs == nil || fresh && r.Inputs.Keep(digest, c.Decision.Input()) != nil {
		return // what was not kept is not named: the call itself is on record all the same
	}
	e.Input = digest
}

// owed names what a decision asks for besides its effect, and what it only notes:
// by type, with the codes that the policy itself gave.
func owed(d *rego.Decision) []audit.Word {
	o := &d.Obligations
	if o.IsZero() && len(d.Warned)+len(d.Watched) == 0 {
		return nil
	}
	var out []audit.Word
	coded := func(prefix string, codes []gateway.Reason) {
		for _, code := range codes {
			out = append(out, audit.Word(prefix+"."+string(code)))
		}
	}
	coded("warned", d.Warned)
	coded("watched", d.Watched)
	for _, label := range o.Labels {
		out = append(out, audit.Word("label."+label))
	}
	for _, class := range o.RateClasses {
		out = append(out, audit.Word("rate_class."+class))
	}
	for name, is := range map[string]bool{
		"mask_arguments": len(o.MaskArguments) > 0, "mask_result": len(o.MaskResult) > 0, "result_bytes": o.ResultBytes > 0,
		"approval": len(o.Approvals) > 0, "idempotency_key": o.IdempotencyKey, "step_up": len(o.StepUp) > 0,
		"timeout": o.Timeout > 0, "fresh_authentication": o.FreshWithin > 0,
	} {
		if is {
			out = append(out, audit.Word(name))
		}
	}
	slices.Sort(out)
	return out
}
