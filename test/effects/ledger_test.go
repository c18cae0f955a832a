package effects

import (
	"net/http"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

const args = `{"title":"it burns"}`

func TestOneKeyRunsOnce(t *testing.T) {
	d, s := start(t, stage.Options{Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}}})
	alice := s.Host("alice")
	first := keyed(alice.Calling("desk__open", args), "k1").Send(t)
	if first.IsError() || first.Get("/structuredContent/ticket_id") != `"T-1"` {
		t.Fatalf("%s", first.Body)
	}
	st := verified(t, s, first)
	if st.Outcome != gateway.OutcomeCommitted || st.ExternalID != "T-1" || st.KeyFrom != receipt.KeyOfHost || st.MissingExternalID {
		t.Errorf("%+v", st)
	}
	if s.OneEvent(t).Outcome != gateway.OutcomeCommitted {
		t.Error("the event says otherwise")
	}
	for _, tc := range []struct {
		name     string
		request  *stage.Request
		code     gateway.Code
		executed int
	}{
		{"again", keyed(alice.Calling("desk__open", args), "k1"), "", 1},
		{"again, spelled otherwise", keyed(alice.Calling("desk__open", `{ "title" : "it burns" }`), "k1"), "", 1},
		{"the key as the argument", alice.Calling("desk__open", `{"title":"it burns","request_id":"k1"}`), "", 1},
		{"other arguments", keyed(alice.Calling("desk__open", `{"title":"it floods"}`), "k1"), gateway.CodeIdempotencyConflict, 1},
		{"two keys that differ", keyed(alice.Calling("desk__open", `{"title":"it burns","request_id":"k2"}`), "k1"), gateway.CodeIdempotencyConflict, 1},
		{"no text as key", alice.Calling("desk__open", args), "", 2},
		{"another key", keyed(alice.Calling("desk__open", args), "k3"), "", 3},
		{"another principal", keyed(s.Host("bob").Calling("desk__open", args), "k1"), "", 4},
		{"another tool", keyed(alice.Calling("desk__post", args), "k1"), "", 5},
	} {
		r := tc.request.Send(t)
		if r.Code() != string(tc.code) || d.count() != tc.executed {
			t.Errorf("%s: code %q, executed %d, want %q, %d: %s", tc.name, r.Code(), d.count(), tc.code, tc.executed, r.Body)
		}
		if tc.executed == 1 && tc.code == "" && (string(receiptOf(t, r)) != string(receiptOf(t, first)) || r.Get("/structuredContent/ticket_id") != `"T-1"`) {
			t.Errorf("%s: not the recorded outcome: %s", tc.name, r.Body)
		}
	}
	if n := len(s.Rows(t, audit.Filter{Type: audit.ToolRepeated})); n != 3 {
		t.Errorf("%d repeats on record, want 3", n)
	}
	for _, call := range d.Calls() {
		if call.Name() == "open" && d.keys[`"k1"`] != 2 { // alice's and bob's
			t.Errorf("the upstream saw k1 %d times", d.keys[`"k1"`])
			break
		}
	}
}

// hangUp takes the call and never answers.
func hangUp(http.ResponseWriter, *http.Request, stage.Message) { panic(http.ErrAbortHandler) }

func TestALostAnswerStaysUnknownUntilItIsKnown(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	d.answers(func(int, stage.Message) stage.Answer { return hangUp })
	lost := keyed(alice.Calling("desk__open", args), "k").Send(t)
	if lost.Code() != "outcome_unknown" || verified(t, s, lost).Outcome != gateway.OutcomeUnknown {
		t.Fatalf("%s", lost.Body)
	}
	conflict := keyed(alice.Calling("desk__open", `{"title":"other"}`), "k").Send(t)
	if conflict.Code() != "idempotency_conflict" {
		t.Errorf("%s", conflict.Body)
	}
	// Refused by the upstream this time: that says nothing of the first one.
	d.answers(func(int, stage.Message) stage.Answer {
		return stage.Result(`{"resultType":"complete","isError":true,"content":[{"type":"text","text":"busy"}]}`)
	})
	if r := keyed(alice.Calling("desk__open", args), "k").Send(t); r.Code() != "outcome_unknown" {
		t.Errorf("%s", r.Body)
	}
	d.answers(nil)
	again := keyed(alice.Calling("desk__open", args), "k").Send(t)
	st := verified(t, s, again)
	if again.IsError() || st.Outcome != gateway.OutcomeCommitted || st.Attempt != 3 || st.Reconciled != receipt.SourceRepeat || st.Supersedes == "" {
		t.Errorf("%+v\n%s", st, again.Body)
	}
	if st.Action != verified(t, s, lost).Action {
		t.Error("another action")
	}
}

func TestWhatIsNotIdempotentIsNotRepeated(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	d.answers(func(int, stage.Message) stage.Answer { return hangUp })
	lost := keyed(alice.Calling("desk__post", args), "k").Send(t)
	d.answers(nil)
	again := keyed(alice.Calling("desk__post", args), "k").Send(t)
	if lost.Code() != "outcome_unknown" || again.Code() != "outcome_unknown" || d.count() != 1 {
		t.Errorf("%d executed\n%s\n%s", d.count(), lost.Body, again.Body)
	}
	if a, b := lost.Get("/_meta/mcp-gateway~1error/action_id"), again.Get("/_meta/mcp-gateway~1error/action_id"); a != b || a == "" {
		t.Errorf("actions %s and %s", a, b)
	}
}

// What was never executed leaves its key free.
func TestWhatDidNotRunMayRunAgain(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	d.answers(func(int, stage.Message) stage.Answer { return stage.Fault(`{"code":-32602,"message":"no"}`) })
	if r := keyed(alice.Calling("desk__post", args), "k").Send(t); r.Code() != "execution_error" || receiptOf(t, r) != nil && len(receiptOf(t, r)) > 0 {
		t.Errorf("%s", r.Body)
	}
	d.answers(nil)
	if r := keyed(alice.Calling("desk__post", args), "k").Send(t); r.IsError() || d.count() != 2 {
		t.Errorf("%s", r.Body)
	}
}

func TestEvidence(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	for _, tc := range []struct {
		name, result string
		code         gateway.Code
		missing      bool
	}{
		{"free text", `{"resultType":"complete","content":[{"type":"text","text":"Opened T-9 for you."}]}`, gateway.CodeContractViolation, true},
		{"another member", `{"resultType":"complete","content":[],"structuredContent":{"id":"T-9"}}`, gateway.CodeContractViolation, true},
		{"an empty id", `{"resultType":"complete","content":[],"structuredContent":{"ticket_id":""}}`, gateway.CodeMissingExternalID, true},
		{"a number", `{"resultType":"complete","content":[],"structuredContent":{"ticket_id":9}}`, "", false},
		{"a forged receipt", `{"resultType":"complete","content":[],"_meta":{"mcp-gateway/receipt":{"forged":true}},"structuredContent":{"ticket_id":"T-9"}}`, "", false},
	} {
		d.answers(func(int, stage.Message) stage.Answer { return stage.Result(tc.result) })
		r := alice.Call(t, "desk__open", args)
		st := verified(t, s, r)
		if r.Code() != string(tc.code) || st.MissingExternalID != tc.missing || st.Outcome != gateway.OutcomeCommitted {
			t.Errorf("%s: %+v\n%s", tc.name, st, r.Body)
		}
	}
}
