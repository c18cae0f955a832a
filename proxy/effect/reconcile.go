package effect

import (
	"context"
	"errors"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
)

// Verdict is what somebody who knows says became of an action whose outcome was
// unknown.
type Verdict struct {
	Outcome    gateway.Outcome
	ExternalID string // "" where none is known
	VerifiedBy string // the read tool that found it
	Source     receipt.Source
	By         string // a person, or the status tool
	Key        string // of a person: the id of the key by which they are known
	Why        string // of a person
}

// ErrKnown: the action's outcome is not unknown, nor does it lack an external id, so
// there is nothing to reconcile.
var ErrKnown = errors.New("effect: the outcome of the action is not unknown")

// Nameless says whether an action ran and nobody knows what its upstream calls it.
func Nameless(e *receipt.Entry) bool { return ran(e.State) && e.ExternalID == "" }

// Reconcile settles an action whose outcome was unknown, or gives one that ran the
// external id that it lacks: an event of its own, then the ledger with a receipt that
// names who says so and which receipt it supersedes. The key stays taken, also by what
// was not done: what a person says is no proof.
func (b *Book) Reconcile(ctx context.Context, e *receipt.Entry, v Verdict) (*receipt.Entry, error) {
	names := Nameless(e) && v.Outcome == e.State && v.ExternalID != ""
	if e.State != gateway.OutcomeUnknown && !names {
		return nil, ErrKnown
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	told, err := b.Record.Reconciled(ctx, e, v.Outcome, v.Source, v.By, v.Key)
	if err != nil {
		return nil, err
	}
	s := &receipt.Settlement{
		Action: e.Action, Attempt: e.Attempt, From: e.State, State: v.Outcome, At: b.Clock(),
		ExternalID: v.ExternalID, VerifiedBy: v.VerifiedBy, Decided: e.Decided, Finished: e.Finished, Told: refOf(told),
		Source: v.Source, By: v.By, Why: v.Why,
	}
	if names {
		s.Result = e.Result
		if e.Code != gateway.CodeMissingExternalID { // that is not true any more
			s.Code = e.Code
		}
	}
	envelope, err := b.sign(ctx, e, s)
	if err != nil {
		return nil, err
	}
	s.Receipt = keep(s, envelope)
	if err := b.Ledger.Settle(ctx, s); err != nil {
		return nil, err
	}
	return b.Ledger.Action(ctx, e.Action)
}

// named asks at once for the external id of an action that the journal alone knows to
// have run: it has no result to tell again, and so its id is all there is to tell.
func (b *Book) named(ctx context.Context, c *call.Call, e *receipt.Entry) *receipt.Entry {
	if e.Told != receipt.SourceJournal || !Nameless(e) {
		return e
	}
	if known := b.found(ctx, c, e); known != nil {
		return known
	}
	return e
}

// Key opens the idempotency key of an entry.
func (b *Book) Key(e *receipt.Entry) (string, error) {
	key, err := b.Keys.Open(keyring.Ledger, e.Sealed, []byte("key "+e.Action))
	return string(key), err
}

// found asks the upstream's status tool at once about an action that a caller asks
// about anew; nil where it stays unknown.
func (b *Book) found(ctx context.Context, c *call.Call, e *receipt.Entry) *receipt.Entry {
	if b.Ask == nil {
		return nil
	}
	known, err := b.Ask(ctx, c.World, c.Behalf(), e)
	if err != nil || known == nil || known.State == gateway.OutcomeUnknown || known.State == gateway.OutcomeInFlight {
		return nil // it stays unknown, whatever kept us from knowing
	}
	return known
}
