package effect

import (
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
	"mcp-gateway/registry/review"
)

// Told reads from a complete result what the upstream's own word says became of
// the call, by the words that a reviewer listed. A word that is not among them, and
// a result without one, leave the outcome unknown: it was answered, and nobody can
// say what.
func Told(c *call.Call) error {
	words := wordsOf(c)
	if words == nil || c.Business {
		return nil
	}
	structured, _ := protocol.Member(c.Incoming.Result, "structuredContent")
	found, _ := protocol.Lookup(structured, words.Pointer)
	word, ok := protocol.Text(found)
	c.Outcome = gateway.OutcomeUnknown
	if ok {
		c.Outcome = words.Of(word)
	}
	c.Effect.Refused = c.Outcome == gateway.OutcomeFailed
	if c.Outcome == gateway.OutcomeUnknown {
		return gateway.Fail(gateway.CodeOutcomeUnknown, gateway.ReasonOutcomeWord)
	}
	return nil
}

// Doubt judges a result that broke its contract where its own word would have told
// what became of the call: a word in such a result tells nothing.
func Doubt(c *call.Call, err error) error {
	if wordsOf(c) == nil {
		return err
	}
	c.Outcome = gateway.OutcomeUnknown
	return gateway.Because(gateway.CodeOutcomeUnknown, err, call.AsError(err).Reasons...)
}

func wordsOf(c *call.Call) *gateway.OutcomeWords {
	if c.Effect == nil {
		return nil
	}
	return c.Item.Item().Facts.Outcomes
}

// Evidence reads from a complete result what the reviewer wants to see in it. A
// success without its external id is not passed on as one, though it was executed.
func Evidence(c *call.Call) error {
	fx := c.Effect
	if fx == nil || c.Business || fx.Refused {
		return nil
	}
	pointer := c.Item.Item().Facts.ExternalID
	if pointer == "" {
		return nil // waived: the receipt says that there is none
	}
	structured, _ := protocol.Member(c.Incoming.Result, "structuredContent")
	found, _ := protocol.Lookup(structured, pointer)
	id, ok := protocol.Text(found)
	if protocol.IsInteger(found) {
		id, ok = string(found), true
	}
	if !ok || !receipt.ValidKey(id) {
		if item := c.Item.Item(); item.Record != nil && item.Record.Waive[review.WaiveEvidence] != "" {
			return nil
		}
		return gateway.Fail(gateway.CodeMissingExternalID, gateway.ReasonEvidenceAbsent)
	}
	fx.ExternalID = id
	return nil
}

// Weigh corrects the outcome of an attempt before it is put on record: an earlier
// attempt whose outcome is unknown may have run, whatever became of this one.
func Weigh(c *call.Call) {
	fx := c.Effect
	if fx == nil || fx.Entry == nil || c.Outcome != gateway.OutcomeFailed {
		return
	}
	if fx.Doubted || fx.Resumes != nil && fx.Resumes.State == gateway.OutcomeUnknown {
		c.Outcome = gateway.OutcomeUnknown
		c.Replace("weigh", gateway.Because(gateway.CodeOutcomeUnknown, c.Err))
	}
}
