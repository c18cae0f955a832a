package effects

import (
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/receipt"
	"mcp-gateway/test/stage"
)

// drops takes the call, notes it as done, and hangs up.
func drops(int, stage.Message) stage.Answer { return hangUp }

// eventually returns what get returns once it is there.
func eventually[T any](t *testing.T, what string, get func() (T, bool)) T {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if v, ok := get(); ok {
			return v
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("%s never came", what)
		}
	}
}

// newest returns the newest receipt of an action, verified.
func newest(t *testing.T, s *stage.Stage, action string) *receipt.Statement {
	t.Helper()
	kept, err := s.Gateway.Effects().Ledger.Receipts(t.Context(), action, 1)
	if err != nil || len(kept) != 1 {
		t.Fatalf("%d receipts of %s, %v", len(kept), action, err)
	}
	st, err := receipt.Verify(kept[0].Envelope, s.Gateway.ReceiptKeys(), receipt.Claim{Action: action})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Match(s.Gateway.Events(t.Context())); err != nil {
		t.Errorf("%v: %+v", err, st)
	}
	return st
}

// lose makes a call whose answer is lost, and returns what its receipt says and its
// digest.
func lose(t *testing.T, s *stage.Stage, d *desk, r *stage.Request) (*receipt.Statement, gateway.Digest) {
	t.Helper()
	d.answers(drops)
	lost := r.Send(t)
	d.answers(nil)
	st := verified(t, s, lost)
	if lost.Code() != string(gateway.CodeOutcomeUnknown) || st.Outcome != gateway.OutcomeUnknown {
		t.Fatalf("%s", lost.Body)
	}
	return st, receipt.DigestOf(receiptOf(t, lost))
}

// Who gave a key is told to repeat with it; who gave none is told not to repeat, and what
// to ask about. The whole answer is what its receipt is verified in.
func TestWhatIsAdvisedWhereNobodyCanSay(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	for _, tc := range []struct {
		name    string
		request *stage.Request
		retry   string
		warned  bool
	}{
		{"a key of the host", keyed(alice.Calling("desk__book", args), "k"), `"same_key"`, false},
		{"a minted key", alice.Calling("desk__book", args), `"no"`, true},
	} {
		d.answers(drops)
		lost := tc.request.Send(t)
		d.answers(nil)
		st := verified(t, s, lost)
		const data = "/_meta/mcp-gateway~1error"
		warned := strings.Contains(lost.Get("/content/0/text"), "do not repeat it") && strings.Contains(lost.Get("/content/0/text"), st.Action)
		if lost.Code() != string(gateway.CodeOutcomeUnknown) || lost.Get(data+"/retry") != tc.retry || warned != tc.warned || lost.Get(data+"/action_id") != `"`+st.Action+`"` {
			t.Errorf("%s: %s", tc.name, lost.Body)
		}
		if tc.warned {
			whole := receipt.Find(lost.Body)
			if _, err := receipt.Verify(whole, s.Gateway.ReceiptKeys(), receipt.Claim{Arguments: protocol.AppendCanonical(nil, []byte(args))}); err != nil {
				t.Errorf("%s: its own arguments: %v", tc.name, err)
			}
			if _, err := receipt.Verify(whole, s.Gateway.ReceiptKeys(), receipt.Claim{Arguments: []byte(`{}`)}); !errors.Is(err, receipt.OtherArgs) {
				t.Errorf("%s: other arguments: %v", tc.name, err)
			}
		}
	}
}

// While the gateway runs it asks the reviewed status tool by itself, and what that
// finds has an event and a receipt of its own.
func TestTheStatusToolReconciles(t *testing.T) {
	d, s := start(t, stage.Options{})
	unknown, digest := lose(t, s, d, keyed(s.Host("alice").Calling("desk__book", args), "k"))
	st := eventually(t, "a known outcome", func() (*receipt.Statement, bool) {
		st := newest(t, s, unknown.Action)
		return st, st.Outcome != gateway.OutcomeUnknown
	})
	if st.Outcome != gateway.OutcomeCommitted || st.ExternalID != "T-1" || st.Reconciled != receipt.SourceStatus || st.VerifiedBy != "find" ||
		st.Supersedes != digest || st.Told.IsZero() || st.Decided != unknown.Decided || st.Finished != unknown.Finished {
		t.Errorf("%+v", st)
	}
	asked, told := s.Rows(t, audit.Filter{Type: audit.LedgerAsked}), s.Rows(t, audit.Filter{Type: audit.LedgerReconciled})
	if len(asked) == 0 || len(told) != 1 || told[0].Outcome != gateway.OutcomeCommitted || len(told[0].Reasons) != 1 || told[0].Reasons[0] != "status_tool" {
		t.Errorf("asked %d times, told %+v", len(asked), told)
	}
	again := keyed(s.Host("alice").Calling("desk__book", args), "k").Send(t)
	if again.IsError() || d.count() > tries || receipt.DigestOf(receiptOf(t, again)) == digest {
		t.Errorf("executed %d times, told %s", d.count(), again.Body)
	}
}

// What the journal alone knows to have run has no external id. The status tool is asked for
// it, and a repeat is told the result that keeps its contract by it.
func TestTheStatusToolNames(t *testing.T) {
	_, s := start(t, stage.Options{})
	call := func() *stage.Request { return keyed(s.Host("alice").Calling("desk__book", args), "k") }
	first := verified(t, s, call().Send(t))
	db, err := sql.Open("sqlite", s.Path("var/state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE actions SET told_by = 'journal', external_id = '', result = ''"); err != nil { // what a crash takes
		t.Fatal(err)
	}
	st := eventually(t, "a name", func() (*receipt.Statement, bool) {
		st := newest(t, s, first.Action)
		return st, st.Reconciled != ""
	})
	if st.Outcome != gateway.OutcomeCommitted || st.ExternalID != "T-1" || st.Reconciled != receipt.SourceStatus || st.VerifiedBy != "find" || st.FinishedAt != first.FinishedAt {
		t.Errorf("%+v", st)
	}
	if again := call().Send(t); again.IsError() || again.Get("/structuredContent/ticket_id") != `"T-1"` {
		t.Errorf("%s", again.Body)
	}
}

// tries is how often at most a call that may run twice was sent.
const tries = 3

// What the status tool does not find stays unknown: it may still be under way.
func TestWhatIsNotFoundStaysUnknown(t *testing.T) {
	d, s := start(t, stage.Options{})
	d.answers(func(int, stage.Message) stage.Answer {
		return func(http.ResponseWriter, *http.Request, stage.Message) {
			d.mu.Lock()
			clear(d.keys) // it was never done
			d.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
	})
	lost := keyed(s.Host("alice").Calling("desk__book", args), "k").Send(t)
	st := verified(t, s, lost)
	eventually(t, "a second question", func() (int, bool) { n := d.questions(); return n, n >= 2 })
	if now := newest(t, s, st.Action); now.Outcome != gateway.OutcomeUnknown {
		t.Errorf("%+v", now)
	}
}

// Of a write without a status tool nobody is asked; one that no reviewer named a read is
// none (config/exposure).
func TestOnlyReadsAreAsked(t *testing.T) {
	d, s := start(t, stage.Options{})
	st, _ := lose(t, s, d, keyed(s.Host("alice").Calling("desk__silent", args), "k"))
	before := d.count()
	if _, err := s.Gateway.AskStatus(t.Context(), st.Action); err == nil {
		t.Error("a write was asked")
	}
	if d.count() != before || len(s.Rows(t, audit.Filter{Type: audit.LedgerAsked})) > 0 {
		t.Errorf("executed %d more", d.count()-before)
	}
}

// A person's word reconciles with a reason, once.
func TestAPersonReconciles(t *testing.T) {
	d, s := start(t, stage.Options{})
	book := s.Gateway.Effects()
	for _, tc := range []struct {
		outcome gateway.Outcome
		id      string
	}{{gateway.OutcomeCommitted, "T-7"}, {gateway.OutcomeFailed, ""}, {gateway.OutcomePartial, ""}} {
		unknown, digest := lose(t, s, d, s.Host("alice").Calling("desk__post", args))
		e, err := book.Ledger.Action(t.Context(), unknown.Action)
		if err != nil {
			t.Fatal(err)
		}
		v := effect.Verdict{Outcome: tc.outcome, ExternalID: tc.id, Source: receipt.SourceOperator, By: "carol", Why: "seen in the tracker"}
		if _, err := book.Reconcile(t.Context(), e, v); err != nil {
			t.Fatal(err)
		}
		st := newest(t, s, unknown.Action)
		if st.Outcome != tc.outcome || st.ExternalID != tc.id || st.Reconciled != receipt.SourceOperator || st.Supersedes != digest || st.VerifiedBy != "" {
			t.Errorf("%+v", st)
		}
		if _, err := book.Reconcile(t.Context(), e, v); err == nil {
			t.Error("reconciled twice")
		}
	}
}

// Where the reviewer wants it, a result's external id is looked up before its
// receipt is signed. What is not found is not said to be verified.
func TestVerifiedBy(t *testing.T) {
	d, s := start(t, stage.Options{})
	alice := s.Host("alice")
	st := verified(t, s, keyed(alice.Calling("desk__proven", args), "k1").Send(t))
	if st.VerifiedBy != "find" || st.ExternalID != "T-1" || d.questions() != 1 {
		t.Errorf("%+v, asked %d times", st, d.questions())
	}
	d.mu.Lock()
	d.wrong = true
	d.mu.Unlock()
	if st := verified(t, s, keyed(alice.Calling("desk__proven", args), "k2").Send(t)); st.VerifiedBy != "" || st.Outcome != gateway.OutcomeCommitted {
		t.Errorf("%+v", st)
	}
	if st := verified(t, s, keyed(alice.Calling("desk__book", args), "k3").Send(t)); st.VerifiedBy != "" || d.questions() != 2 {
		t.Errorf("%+v, asked %d times", st, d.questions())
	}
}
