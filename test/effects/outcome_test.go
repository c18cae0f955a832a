package effects

import (
	"fmt"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

// What becomes of a write is what its upstream's own word says, by the words that a
// reviewer listed; what they do not say is unknown.
func TestOutcomesByTheReviewedWords(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	result := func(structured string) string {
		return `{"resultType":"complete","content":[{"type":"text","text":"x"}],"structuredContent":` + structured + `}`
	}
	for i, tc := range []struct {
		name, result string
		code         gateway.Code
		outcome      gateway.Outcome
		id           string
	}{
		{"committed", result(`{"ticket_id":"T-1","status":"done"}`), "", gateway.OutcomeCommitted, "T-1"},
		{"accepted", result(`{"ticket_id":"T-2","status":"queued"}`), "", gateway.OutcomeAccepted, "T-2"},
		{"partial", result(`{"ticket_id":"T-3","status":"partial"}`), "", gateway.OutcomePartial, "T-3"},
		{"failed", result(`{"ticket_id":"","status":"rejected"}`), "", gateway.OutcomeFailed, ""},
		{"a word of nobody's", result(`{"ticket_id":"T-4","status":"Done"}`), gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, ""},
		{"no word", result(`{"ticket_id":"T-5"}`), gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, ""},
		{"no text", result(`{"ticket_id":"T-6","status":1}`), gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, ""},
		{"free text", `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`, gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, ""},
		{"another kind of result", `{"resultType":"queued","content":[]}`, gateway.CodeOutcomeUnknown, gateway.OutcomeUnknown, ""},
		{"its own refusal", `{"resultType":"complete","isError":true,"content":[{"type":"text","text":"no"}]}`, "", gateway.OutcomeFailed, ""},
		{"done without evidence", result(`{"ticket_id":"","status":"done"}`), gateway.CodeMissingExternalID, gateway.OutcomeCommitted, ""},
	} {
		d.answers(func(int, stage.Message) stage.Answer { return stage.Result(tc.result) })
		key, before := fmt.Sprint("k", i), d.count()
		first := keyed(alice.Calling("desk__queue", args), key).Send(t)
		st := verified(t, s, first)
		if first.Code() != string(tc.code) || st.Outcome != tc.outcome || st.ExternalID != tc.id {
			t.Errorf("%s: %q, receipt says %s %q: %s", tc.name, first.Code(), st.Outcome, st.ExternalID, first.Body)
		}
		if e := s.OneEvent(t); e.Outcome != tc.outcome {
			t.Errorf("%s: the event says %s", tc.name, e.Outcome)
		}
		if tc.outcome == gateway.OutcomeUnknown {
			continue // its repeat runs again: see ledger_test.go
		}
		again := keyed(alice.Calling("desk__queue", args), key).Send(t)
		if d.count() != before+1 || again.Code() != first.Code() || string(receiptOf(t, again)) != string(receiptOf(t, first)) {
			t.Errorf("%s: its repeat runs or is told otherwise: %s", tc.name, again.Body)
		}
	}
}

// One action, from the first round to the last: its ledger entry, its events and its
// receipt have one id.
func TestOneActionAcrossRounds(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	capable := func(r *stage.Request) *stage.Request {
		r.Meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"stage","version":"1"}}`
		return keyed(r, "k")
	}
	d.answers(func(n int, m stage.Message) stage.Answer {
		if n == 1 {
			return stage.Result(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"Which floor?","requestedSchema":{"type":"object","properties":{"floor":{"type":"integer"}}}}}},"requestState":"mine"}`)
		}
		return opened(n)
	})
	asked := capable(alice.Calling("desk__open", args)).Send(t)
	if asked.Get("/resultType") != `"input_required"` {
		t.Fatalf("%s", asked.Body)
	}
	first := s.OneEvent(t)
	if first.Outcome != gateway.OutcomeAwaiting || receiptOf(t, asked) != nil && len(receiptOf(t, asked)) > 0 {
		t.Errorf("%s, with the receipt %q", first.Outcome, receiptOf(t, asked))
	}
	retry := capable(alice.Calling("desk__open", args))
	retry.Params += `,"inputResponses":{"q":{"action":"accept","content":{"floor":3}}},"requestState":` + asked.Get("/requestState")
	done := retry.Send(t)
	st := verified(t, s, done)
	last := s.OneEvent(t)
	if st.Action != first.Action.String() || last.Action != first.Action || st.Outcome != gateway.OutcomeCommitted || st.Attempt != 2 || st.KeyFrom != receipt.KeyOfHost {
		t.Errorf("%+v, after the action %s", st, first.Action)
	}
}
