package effect_test

import (
	"errors"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/receipt"
)

// What ran, and whose external id is not on record, is given one once: as it stands, by
// who says so, and with all that was known before.
func TestNaming(t *testing.T) {
	for _, tc := range []struct {
		name    string
		ended   gateway.Outcome
		verdict effect.Verdict
		want    error
	}{
		{"by a person", gateway.OutcomeCommitted, effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: "T-7", Source: receipt.SourceOperator, By: "carol", Why: "seen"}, nil},
		{"by the status tool", gateway.OutcomeAccepted, effect.Verdict{Outcome: gateway.OutcomeAccepted, ExternalID: "T-7", VerifiedBy: "find", Source: receipt.SourceStatus, By: "find"}, nil},
		{"with another outcome", gateway.OutcomePartial, effect.Verdict{Outcome: gateway.OutcomeCommitted, ExternalID: "T-7", Source: receipt.SourceOperator}, effect.ErrKnown},
		{"without a name", gateway.OutcomeCommitted, effect.Verdict{Outcome: gateway.OutcomeCommitted, Source: receipt.SourceOperator}, effect.ErrKnown},
		{"of what failed", gateway.OutcomeFailed, effect.Verdict{Outcome: gateway.OutcomeFailed, ExternalID: "T-7", Source: receipt.SourceOperator}, effect.ErrKnown},
	} {
		b, f, _ := newBook(t)
		id := enter(t, b, dead, 1)
		f.of[id] = call.Fate{Decided: at(7), Finished: at(8), Outcome: tc.ended}
		if _, err := b.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		e, err := b.Ledger.Action(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		nameless, err := b.Ledger.Actions(t.Context(), receipt.Filter{Nameless: true})
		if err != nil || len(nameless) != map[bool]int{true: 1, false: 0}[tc.ended != gateway.OutcomeFailed] {
			t.Errorf("%s: %d are nameless, %v", tc.name, len(nameless), err)
		}
		before, err := b.Ledger.Receipts(t.Context(), id, 1)
		if err != nil || len(before) != 1 {
			t.Fatal(before, err)
		}
		after, err := b.Reconcile(t.Context(), e, tc.verdict)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		if tc.want != nil || err != nil {
			continue
		}
		if after.State != tc.ended || after.ExternalID != "T-7" || after.Told != tc.verdict.Source {
			t.Errorf("%s: %+v", tc.name, after)
		}
		kept, err := b.Ledger.Receipts(t.Context(), id, 10)
		if err != nil || len(kept) != 2 {
			t.Fatal(kept, err)
		}
		was, _ := receipt.Verify(before[0].Envelope, b.Keys.Public(keyring.Receipt), receipt.Claim{})
		st, err := receipt.Verify(kept[0].Envelope, b.Keys.Public(keyring.Receipt), receipt.Claim{})
		if err != nil || st.ExternalID != "T-7" || st.MissingExternalID || !was.MissingExternalID || st.Reconciled != tc.verdict.Source ||
			st.VerifiedBy != tc.verdict.VerifiedBy || st.Supersedes != before[0].Digest || st.Outcome != tc.ended || st.FinishedAt != was.FinishedAt || st.Told.IsZero() {
			t.Errorf("%s: %+v %v", tc.name, st, err)
		}
		if _, err := b.Reconcile(t.Context(), e, tc.verdict); !errors.Is(err, receipt.ErrRaced) {
			t.Errorf("%s: named twice, from what was read before: %v", tc.name, err)
		}
		if _, err := b.Reconcile(t.Context(), after, tc.verdict); !errors.Is(err, effect.ErrKnown) {
			t.Errorf("%s: named twice: %v", tc.name, err)
		}
	}
}
