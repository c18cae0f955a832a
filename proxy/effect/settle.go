package effect

import (
	"context"
	"encoding/json"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
)

// mostKept bounds a result that is kept for repeats, in bytes.
const mostKept = 64 << 10

// Settle puts into the ledger what became of the call, after tool.finished is
// durable, and gives it its receipt. If that fails, the answer says that the call
// ran or may have run, and never that it did not.
func (b *Book) Settle(ctx context.Context, c *call.Call) error {
	if c.Effect == nil || c.Effect.Entry == nil || c.Replays() {
		return nil
	}
	s := b.settlement(c)
	var envelope []byte
	var unsigned error
	if !c.Finished.IsZero() && s.State != gateway.OutcomeAwaiting && !s.Frees {
		if resumed := c.Effect.Resumes; resumed != nil && resumed.State == gateway.OutcomeUnknown && ran(s.State) {
			s.Source = receipt.SourceRepeat
		}
		if envelope, unsigned = b.sign(ctx, c.Effect.Entry, s); unsigned == nil {
			s.Receipt = keep(s, envelope)
		}
	}
	if err := errors.Join(unsigned, b.Ledger.Settle(ctx, s)); err != nil {
		if s.Frees {
			return nil // nothing was sent: whatever the answer was, it is true
		}
		return gateway.Because(gateway.CodeReceiptUnavailable, err, gateway.ReasonReceiptUnkept)
	}
	if c.Err != nil {
		c.Err.Receipt = envelope
		return nil
	}
	c.Result = withReceipt(c.Result, envelope)
	return nil
}

// settlement is what became of the attempt.
func (b *Book) settlement(c *call.Call) *receipt.Settlement {
	fx := c.Effect
	s := &receipt.Settlement{
		Action: fx.Entry.Action, Attempt: fx.Entry.Attempt, From: gateway.OutcomeInFlight, State: c.Outcome,
		At: c.Now(), Findings: c.Clean.Report().Codes(), ExternalID: fx.ExternalID, VerifiedBy: fx.VerifiedBy, Decided: refOf(c.Decided), Finished: refOf(c.Finished),
	}
	switch {
	case c.Err != nil:
		s.Code = c.Err.Code
	case c.Business:
		s.Code = gateway.CodeBusinessError
	}
	if c.Decided.IsZero() { // no record, no call
		s.State = gateway.OutcomeFailed
	}
	sent := c.Incoming.Sent && !c.Decided.IsZero()
	if s.State == gateway.OutcomeFailed && (!sent || !c.Business && !fx.Refused) {
		s.State, s.Frees = before(fx.Resumes)
	}
	if c.Err == nil && c.Clean.Valid() && s.State != gateway.OutcomeAwaiting && len(c.Result) <= mostKept {
		s.Result = b.seal(s.Action, recorded{c.Result, c.Business})
	}
	return s
}

// before is the state to which an attempt that executed nothing goes back: of a
// first one, failed, its key free again.
func before(resumed *receipt.Entry) (state gateway.Outcome, frees bool) {
	if resumed == nil {
		return gateway.OutcomeFailed, true
	}
	return resumed.State, false
}

// sign makes the receipt of a settlement. One that tells what was unknown before
// names the receipt that said so.
func (b *Book) sign(ctx context.Context, e *receipt.Entry, s *receipt.Settlement) ([]byte, error) {
	var st receipt.Statement
	if err := json.Unmarshal(e.Draft, &st); err != nil {
		return nil, err
	}
	st.Outcome, st.Code, st.Findings, st.ExternalID = s.State, s.Code, s.Findings, s.ExternalID
	st.MissingExternalID = s.ExternalID == "" && ran(s.State)
	st.FinishedAt = receipt.Stamp(s.At)
	st.Decided, st.Finished = s.Decided, s.Finished
	st.VerifiedBy, st.Told = s.VerifiedBy, s.Told
	if s.Source != "" && s.State != gateway.OutcomeUnknown {
		st.Reconciled = s.Source
		before, err := b.Ledger.Receipts(ctx, e.Action, 1)
		if err != nil {
			return nil, err
		}
		if len(before) == 1 {
			st.Supersedes = before[0].Digest
			b.retain(&st, s, before[0].Envelope)
		}
	}
	return receipt.Sign(b.Keys, &st)
}

// retain keeps what an earlier receipt says of an end that was known by then, where a
// later one only adds an external id.
func (b *Book) retain(st *receipt.Statement, s *receipt.Settlement, envelope []byte) {
	if !ran(s.From) {
		return
	}
	if was, err := receipt.Verify(envelope, b.Keys.Public(keyring.Receipt), receipt.Claim{}); err == nil {
		st.Findings, st.FinishedAt = was.Findings, was.FinishedAt
	}
}

// ran says whether an outcome claims that something was done.
func ran(state gateway.Outcome) bool {
	switch state {
	case gateway.OutcomeCommitted, gateway.OutcomeAccepted, gateway.OutcomePartial:
		return true
	}
	return false
}

func keep(s *receipt.Settlement, envelope []byte) receipt.Kept {
	return receipt.Kept{Action: s.Action, At: s.At, Outcome: s.State, Digest: receipt.DigestOf(envelope), Envelope: envelope}
}

// refOf names a durable event in a receipt.
func refOf(p audit.Position) receipt.EventRef {
	if p.IsZero() {
		return receipt.EventRef{}
	}
	return receipt.EventRef{Replica: string(p.Replica), Boot: p.Boot, Seq: p.Seq, Hash: p.Hash.String()}
}
