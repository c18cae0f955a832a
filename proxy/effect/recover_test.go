package effect_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/record"
	"mcp-gateway/receipt"
	"mcp-gateway/store"
)

// fates are what the journal of a test knows, by action.
type fates struct {
	alive string
	of    map[string]call.Fate
}

func (f *fates) Alive(writer string) bool { return writer == f.alive }

func (f *fates) Fate(_ context.Context, _, action string) (call.Fate, error) {
	return f.of[action], nil
}

// journal takes events and keeps them.
type journal struct{ events []*audit.Event }

func (j *journal) Append(_ context.Context, e *audit.Event, _ audit.Durability) (audit.Position, error) {
	j.events = append(j.events, e)
	return at(uint64(100 + len(j.events))), nil
}

func at(seq uint64) audit.Position {
	return audit.Position{Replica: "r", Boot: 1, Seq: seq, Hash: audit.Hash{byte(seq)}}
}

const alive, dead = "r-000002", "r-000001"

func newBook(t *testing.T) (*effect.Book, *fates, *journal) {
	t.Helper()
	ring, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	f, j := &fates{alive: alive, of: map[string]call.Fate{}}, &journal{}
	return &effect.Book{
		Ledger: s, Keys: ring, Fates: f, Record: &record.Recorder{Journal: j, Names: audit.NewKeys(ring)},
		Writer: alive, Build: "test", Clock: func() time.Time { return time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) },
	}, f, j
}

// enter puts an action in flight that a writer sent, and returns its id.
func enter(t *testing.T, b *effect.Book, writer string, attempt int) string {
	t.Helper()
	id := audit.NewID(b.Clock()).String()
	e := &receipt.Entry{
		Action: id, Attempt: 1, Scope: &receipt.Scope{byte(len(id)), id[0], id[35], id[34], id[33]}, Source: receipt.KeyOfHost,
		Item: gateway.ItemID{Upstream: "desk", Name: "open"}, State: gateway.OutcomeInFlight, Writer: writer, Draft: []byte(`{"v":1}`), Began: b.Clock(),
	}
	if _, err := b.Ledger.Begin(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for e.Attempt < attempt {
		s := &receipt.Settlement{Action: id, Attempt: e.Attempt, From: gateway.OutcomeInFlight, State: gateway.OutcomeUnknown, At: b.Clock(), Code: gateway.CodeOutcomeUnknown}
		if err := b.Ledger.Settle(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		e.Attempt++
		if err := b.Ledger.Resume(t.Context(), e, gateway.OutcomeUnknown, b.Clock()); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// What a dead gateway left in flight is what its journal says: without a decided
// event it was never sent, with one and without an end nobody knows.
func TestRecover(t *testing.T) {
	decided := call.Fate{Decided: at(7)}
	ended := func(o gateway.Outcome) call.Fate { return call.Fate{Decided: at(7), Finished: at(8), Outcome: o} }
	for _, tc := range []struct {
		name    string
		writer  string
		attempt int
		fate    call.Fate
		state   gateway.Outcome
		holds   bool            // its key is still taken
		receipt gateway.Outcome // "" = none
	}{
		{"never sent", dead, 1, call.Fate{}, gateway.OutcomeFailed, false, ""},
		{"sent, without an end", dead, 1, decided, gateway.OutcomeUnknown, true, gateway.OutcomeUnknown},
		{"committed, and the ledger not told", dead, 1, ended(gateway.OutcomeCommitted), gateway.OutcomeCommitted, true, gateway.OutcomeCommitted},
		{"accepted, and the ledger not told", dead, 1, ended(gateway.OutcomeAccepted), gateway.OutcomeAccepted, true, gateway.OutcomeAccepted},
		{"partial, and the ledger not told", dead, 1, ended(gateway.OutcomePartial), gateway.OutcomePartial, true, gateway.OutcomePartial},
		{"failed, and the ledger not told", dead, 1, ended(gateway.OutcomeFailed), gateway.OutcomeFailed, true, gateway.OutcomeFailed},
		{"unknown, and the ledger not told", dead, 1, ended(gateway.OutcomeUnknown), gateway.OutcomeUnknown, true, gateway.OutcomeUnknown},
		{"awaiting, and the ledger not told", dead, 1, ended(gateway.OutcomeAwaiting), gateway.OutcomeAwaiting, true, ""},
		{"a second attempt that was never sent", dead, 2, call.Fate{}, gateway.OutcomeUnknown, true, gateway.OutcomeUnknown},
		{"a second attempt, without an end", dead, 2, decided, gateway.OutcomeUnknown, true, gateway.OutcomeUnknown},
		{"of a gateway that lives", alive, 1, call.Fate{}, gateway.OutcomeInFlight, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, f, _ := newBook(t)
			id := enter(t, b, tc.writer, tc.attempt)
			f.of[id] = tc.fate
			for range 2 { // the second finds nothing left to do
				if _, err := b.Recover(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			e, err := b.Ledger.Action(t.Context(), id)
			if err != nil || e.State != tc.state || (e.Scope != nil) != tc.holds {
				t.Errorf("%+v %v", e, err)
			}
			kept, err := b.Ledger.Receipts(t.Context(), id, 10)
			switch {
			case err != nil:
				t.Error(err)
			case tc.receipt == "" && len(kept) == 0:
			case len(kept) != 1 || kept[0].Outcome != tc.receipt:
				t.Errorf("%d receipts: %+v", len(kept), kept)
			default:
				said(t, b, kept[0].Envelope, tc.fate, tc.state)
			}
		})
	}
}

// said holds what the receipt of a recovered action says.
func said(t *testing.T, b *effect.Book, envelope []byte, fate call.Fate, state gateway.Outcome) {
	t.Helper()
	st, err := receipt.Verify(envelope, b.Keys.Public(keyring.Receipt), receipt.Claim{})
	if err != nil {
		t.Fatal(err)
	}
	source := receipt.SourceJournal
	if state == gateway.OutcomeUnknown {
		source = "" // nobody knows
	}
	if st.Reconciled != source || st.Decided.Seq != fate.Decided.Seq || st.Finished.Seq != fate.Finished.Seq {
		t.Errorf("%+v", st)
	}
}

// An unknown outcome is reconciled once, whoever comes first, and its event stands
// before its receipt does.
func TestReconcileOnce(t *testing.T) {
	b, f, j := newBook(t)
	id := enter(t, b, dead, 1)
	f.of[id] = call.Fate{Decided: at(7)}
	if _, err := b.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := b.Ledger.Action(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	v := effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: "T-1", Source: receipt.SourceOperator, By: "carol", Why: "seen"}
	after, err := b.Reconcile(t.Context(), e, v)
	if err != nil || after.State != gateway.OutcomeCommitted || after.ExternalID != "T-1" {
		t.Fatalf("%+v %v", after, err)
	}
	if _, err := b.Reconcile(t.Context(), e, v); err == nil {
		t.Error("reconciled twice, from what was read before")
	}
	if _, err := b.Reconcile(t.Context(), after, v); err == nil {
		t.Error("reconciled although it is known")
	}
	last := j.events[0]
	if last.Type != audit.LedgerReconciled || last.Action.String() != id || last.OfSeq != 7 || last.Approver == "" || last.Outcome != gateway.OutcomeCommitted {
		t.Errorf("%+v", last)
	}
}

// The key of what is settled stands for thirty days; that of what nobody knows for as long
// as nobody does.
func TestForget(t *testing.T) {
	b, f, _ := newBook(t)
	settled, unknown := enter(t, b, dead, 1), enter(t, b, dead, 1)
	f.of[settled] = call.Fate{Decided: at(7), Finished: at(8), Outcome: gateway.OutcomeCommitted}
	f.of[unknown] = call.Fate{Decided: at(9)}
	if _, err := b.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := b.Clock()
	for _, tc := range []struct {
		after time.Duration
		holds map[string]bool
	}{
		{effect.KeepKeys, map[string]bool{settled: true, unknown: true}},
		{effect.KeepKeys + time.Second, map[string]bool{settled: false, unknown: true}},
	} {
		b.Clock = func() time.Time { return began.Add(tc.after) }
		if _, err := b.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		for id, holds := range tc.holds {
			if e, err := b.Ledger.Action(t.Context(), id); err != nil || (e.Scope != nil) != holds {
				t.Errorf("after %s: %s holds its key: %t, %v", tc.after, e.State, e.Scope != nil, err)
			}
		}
	}
}
