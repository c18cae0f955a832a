package effects

import (
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

// A repeat waits for the first call, no longer than its own host does; then it is told
// what became of that, or that it is under way.
func TestARepeatMeetsTheFirstUnderWay(t *testing.T) {
	d, s := start(t, stage.Options{Settings: "limits: {repeat_wait: 1m, call_timeout: 1m}\n"})
	arrived, release := make(chan struct{}), make(chan struct{})
	d.answers(func(n int, _ stage.Message) stage.Answer {
		close(arrived)
		<-release
		return opened(n)
	})
	call := func() *stage.Request { return keyed(s.Host("alice").Calling("desk__open", args), "k") }
	var wait sync.WaitGroup
	patient := func() {
		r, err := call().Do(t.Context())
		if err != nil || r.IsError() || r.Get("/structuredContent/ticket_id") != `"T-1"` {
			t.Errorf("%v %s", err, r.Body)
		}
	}
	wait.Go(patient)
	<-arrived
	if r := waits(call(), "100").Send(t); r.Code() != "in_progress" || d.count() != 1 {
		t.Errorf("%d executed, %s", d.count(), r.Body)
	}
	for range 4 {
		wait.Go(patient)
	}
	close(release)
	wait.Wait()
	if d.count() != 1 {
		t.Errorf("%d executed", d.count())
	}
}

// Where nobody is to wait, nobody does.
func TestARepeatThatDoesNotWait(t *testing.T) {
	d, s := start(t, stage.Options{Settings: "limits: {repeat_wait: 0s}\n"})
	arrived, release := make(chan struct{}), make(chan struct{})
	d.answers(func(n int, _ stage.Message) stage.Answer {
		close(arrived)
		<-release
		return opened(n)
	})
	var first sync.WaitGroup
	first.Go(func() { _, _ = keyed(s.Host("alice").Calling("desk__open", args), "k").Do(t.Context()) })
	<-arrived
	if r := keyed(s.Host("alice").Calling("desk__open", args), "k").Send(t); r.Code() != "in_progress" || d.count() != 1 {
		t.Errorf("%d executed, %s", d.count(), r.Body)
	}
	close(release)
	first.Wait()
}

// A key that a dead gateway held for a call that it never sent is free for the repeat,
// which runs at once.
func TestTheKeyOfWhatWasNeverSent(t *testing.T) {
	d, s := start(t, stage.Options{})
	call := func() *stage.Request { return keyed(s.Host("alice").Calling("desk__open", args), "k") }
	ledger := s.Gateway.Effects().Ledger
	e, err := ledger.Action(t.Context(), verified(t, s, call().Send(t)).Action)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Forget(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	dead := &receipt.Entry{
		Action: "01a22b82-1bea-75f7-8320-cfd622a5edfd", Attempt: 1, Scope: e.Scope, Source: e.Source, Salt: e.Salt, Arguments: e.Arguments,
		Item: e.Item, State: gateway.OutcomeInFlight, Writer: "gone-000001", Draft: e.Draft, Began: time.Now(),
	}
	if holder, err := ledger.Begin(t.Context(), dead); holder != nil || err != nil {
		t.Fatal(holder, err)
	}
	if r := call().Send(t); r.Code() != "" || d.count() != 2 {
		t.Errorf("%d executed, %s", d.count(), r.Body)
	}
}

// The approval of a repeat is used up by it, as that of any other call.
func TestTheApprovalOfARepeatIsUsedUp(t *testing.T) {
	d, s := start(t, stage.Options{})
	call := func(key string) *stage.Request { return keyed(s.Host("alice").Calling("desk__erase", args), key) }
	yes := approval.Verdict{State: approval.Approved, Approver: "carol", Via: "cli"}
	first := answer(t, s, call("k").Send(t), yes)
	lose(t, s, d, call("k"))
	lost := d.count()
	asking := eventually(t, "the upstream is there again", func() (*stage.Reply, bool) {
		r := call("k").Send(t)
		return r, r.Code() != "unavailable"
	})
	second := answer(t, s, asking, yes)
	if again := call("k").Send(t); again.Code() != "" || d.count() != lost+1 {
		t.Fatalf("%d executed: %s", d.count(), again.Body)
	} else if st := verified(t, s, again); st.Approval != second || st.Attempt != 2 || first == second {
		t.Errorf("approved by %s and %s, the receipt says %+v", first, second, st)
	}
	other := call("another").Send(t)
	if id := strings.Trim(other.Get("/_meta/mcp-gateway~1error/approval/id"), `"`); other.Code() != "approval_required" || id == second || d.count() != lost+1 {
		t.Errorf("%d executed, asked by %s: %s", d.count(), id, other.Body)
	}
	if r := withApproval(call("another"), second).Send(t); r.Code() != "approval_invalid" || d.count() != lost+1 {
		t.Errorf("%d executed: %s", d.count(), r.Body)
	}
}

// A key goes to where the reviewer's pointer says, however deep; and no object is made
// for it that the schema would not take.
func TestAKeyWithinAnObject(t *testing.T) {
	const with = `{"title":"it burns","options":{"request_id":"k"}}`
	for _, tc := range []struct {
		name, tool, arguments, sent string
		meta                        bool // the key is in _meta
		code                        string
	}{
		{"nothing there", "deep", args, with, true, ""},
		{"an empty object", "deep", `{"title":"it burns","options":{}}`, with, true, ""},
		{"beside another member", "deep", `{"options":{"mode":"x"},"title":"it burns"}`, `{"options":{"mode":"x","request_id":"k"},"title":"it burns"}`, true, ""},
		{"by the caller", "deep", with, with, false, ""},
		{"no object there", "deep", `{"title":"it burns","options":1}`, "", true, "invalid_arguments"},
		{"no text there", "deep", `{"title":"it burns","options":{"request_id":1}}`, "", true, "invalid_arguments"},
		{"an object that needs more", "strict", args, args, true, ""},
		{"an object that has it", "strict", `{"options":{"mode":"x"}}`, `{"options":{"mode":"x","request_id":"k"}}`, true, ""},
	} {
		d, s := start(t, stage.Options{})
		r := s.Host("alice").Calling("desk__"+tc.tool, tc.arguments)
		if tc.meta {
			r = keyed(r, "k")
		}
		got := r.Send(t)
		sent := ""
		for _, c := range d.Calls() {
			sent = c.Arguments()
		}
		if got.Code() != tc.code || sent != tc.sent {
			t.Errorf("%s: sent %s: %s", tc.name, sent, got.Body)
		}
	}
}

// What is told of a call whose result is not kept keeps the tool's contract, or is a
// refusal by its code; either way it carries the receipt.
func TestARepeatOfWhatWasReconciled(t *testing.T) {
	d, s := start(t, stage.Options{Review: func(id gateway.ItemID) string { // nothing may be sent twice
		if id.Name == "deep" || id.Name == "strict" || strings.Contains(review(id), "status:") {
			return review(id)
		}
		return strings.Replace(review(id), "idempotent: key, idempotency: {argument: /request_id}, ", "", 1)
	}})
	book := s.Gateway.Effects()
	for _, tc := range []struct {
		tool, id, code, content string
	}{
		{"open", "T-7", "", `{"ticket_id":"T-7"}`},
		{"open", "", "result_not_kept", ""},
		{"post", "", "result_not_kept", ""}, // its schema asks for a ticket's id, its review names none
		{"queue", "T-7", "result_not_kept", ""},
	} {
		call := func() *stage.Request {
			return keyed(s.Host("alice").Calling("desk__"+tc.tool, args), "k"+tc.tool+tc.id)
		}
		unknown, _ := lose(t, s, d, call())
		e, err := book.Ledger.Action(t.Context(), unknown.Action)
		if err != nil {
			t.Fatal(err)
		}
		v := effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: tc.id, Source: receipt.SourceOperator, By: "carol", Why: "seen"}
		if _, err := book.Reconcile(t.Context(), e, v); err != nil {
			t.Fatal(err)
		}
		r := call().Send(t)
		if r.Code() != tc.code || r.Get("/structuredContent") != tc.content {
			t.Errorf("%s %q: %s", tc.tool, tc.id, r.Body)
		}
		if st, err := receipt.Verify(receiptOf(t, r), s.Gateway.ReceiptKeys(), receipt.Claim{Action: unknown.Action}); err != nil || st.Outcome != gateway.OutcomeCommitted {
			t.Errorf("%s: %v in %s", tc.tool, err, r.Body)
		}
	}
}
