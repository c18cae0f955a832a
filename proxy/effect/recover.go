package effect

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
)

// Recover settles the actions that writers left in flight who live no more, by what
// they put on record: no decided event, and nothing was sent; one without an end,
// and the outcome is unknown. It returns how many there were.
func (b *Book) Recover(ctx context.Context) (int, error) {
	open, err := b.Ledger.Actions(ctx, receipt.Filter{States: []gateway.Outcome{gateway.OutcomeInFlight}, Limit: 1 << 20})
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range open {
		if b.Fates.Alive(open[i].Writer) {
			continue
		}
		if _, e := b.recover(ctx, &open[i]); e != nil {
			err = errors.Join(err, e)
			continue
		}
		n++
	}
	return n, err
}

// KeepKeys is how long the key of a settled action stands for its recorded outcome.
// Unknown outcomes keep theirs until they are reconciled.
const KeepKeys = 30 * 24 * time.Hour

// Forget lets go of the keys, and of the results kept for their repeats, whose time is
// over. It returns how many there were.
func (b *Book) Forget(ctx context.Context) (int, error) {
	return b.Ledger.Forget(ctx, b.Clock().Add(-KeepKeys))
}

// recover settles one action whose writer died, and returns how it stands then.
// Another process may do the same at the same time: one of them does it.
func (b *Book) recover(ctx context.Context, e *receipt.Entry) (*receipt.Entry, error) {
	fate, err := b.Fates.Fate(ctx, e.Writer, e.Action)
	if err != nil {
		return nil, err
	}
	s := &receipt.Settlement{
		Action: e.Action, Attempt: e.Attempt, From: gateway.OutcomeInFlight, At: b.Clock(), Code: fate.Code,
		Decided: refOf(fate.Decided), Finished: refOf(fate.Finished), Source: receipt.SourceJournal,
	}
	switch {
	case fate.Decided.IsZero() && e.Attempt == 1:
		s.State, s.Frees, s.Code = gateway.OutcomeFailed, true, gateway.CodeCancelled
	case fate.Finished.IsZero(): // also a later attempt that was never sent: the first may have run
		s.State, s.Code = gateway.OutcomeUnknown, gateway.CodeOutcomeUnknown
	default:
		s.State = fate.Outcome
	}
	if s.State != gateway.OutcomeAwaiting && !s.Frees {
		envelope, err := b.sign(ctx, e, s)
		if err != nil {
			return nil, err
		}
		s.Receipt = keep(s, envelope)
	}
	if err := b.Ledger.Settle(ctx, s); err != nil && !errors.Is(err, receipt.ErrRaced) {
		return nil, err
	}
	return b.Ledger.Action(ctx, e.Action)
}
