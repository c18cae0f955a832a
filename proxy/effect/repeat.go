package effect

import (
	"context"
	"errors"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
)

// Repeat asks the ledger whether the call is one that it knows: the next round of an
// action, or a repeat with the same key. It asks no human twice for what has run.
func (b *Book) Repeat(ctx context.Context, c *call.Call) error {
	if c.Effect == nil {
		return nil
	}
	if c.Round.Again {
		return b.nextRound(ctx, c)
	}
	if c.Effect.Scope == nil {
		return nil
	}
	holder, err := b.Ledger.Holder(ctx, *c.Effect.Scope)
	if err != nil {
		return unavailable(err)
	}
	if holder == nil {
		return nil
	}
	return b.judge(ctx, c, holder)
}

// nextRound finds the action that a sealed state speaks of.
func (b *Book) nextRound(ctx context.Context, c *call.Call) error {
	e, err := b.Ledger.Action(ctx, c.Action.String())
	if errors.Is(err, receipt.ErrNoAction) {
		return gateway.Because(gateway.CodeStateInvalid, err)
	}
	if err != nil {
		return unavailable(err)
	}
	return b.judge(ctx, c, e)
}

// judge says what the call may do, given who holds its key: begin anew where the key
// came free meanwhile, go on with Effect.Resumes, or tell what Effect.Recorded says.
func (b *Book) judge(ctx context.Context, c *call.Call, holder *receipt.Entry) error {
	if receipt.ArgumentsDigest(holder.Salt, canonical(c.Arguments)) != holder.Arguments && !c.Round.Again {
		return gateway.Fail(gateway.CodeIdempotencyConflict, gateway.ReasonKeyArguments)
	}
	if holder.State == gateway.OutcomeInFlight {
		var err error
		if holder, err = b.landed(ctx, c, holder); err != nil {
			return err
		}
		if holder.Scope == nil && !c.Round.Again { // nothing was executed, so the key is free
			return nil
		}
	}
	switch holder.State {
	case gateway.OutcomeAwaiting:
		c.Effect.Resumes = holder
		return nil
	case gateway.OutcomeUnknown:
		if repeatable(c, holder) {
			c.Effect.Resumes = holder
			return nil
		}
		if known := b.found(ctx, c, holder); known != nil {
			c.Effect.Recorded = known
			return b.tell(ctx, c, known)
		}
		e := gateway.Fail(gateway.CodeOutcomeUnknown)
		c.Of, _ = audit.ParseID(holder.Action)
		return e
	}
	c.Effect.Recorded = b.named(ctx, c, holder)
	return b.tell(ctx, c, c.Effect.Recorded)
}

// repeatable says whether the upstream itself takes the same call for the same: by
// review, and with the very key that it got.
func repeatable(c *call.Call, holder *receipt.Entry) bool {
	facts := c.Item.Item().Facts
	switch facts.Idempotent {
	case gateway.IdempotentYes:
		return true
	case gateway.IdempotentKey:
		key, ok := carriedKey(c.Arguments, facts.IdempotencyField)
		return ok && key == c.Effect.Key && holder.Source != receipt.KeyMinted
	}
	return false
}

// recorded is what is kept of a result, sealed.
type recorded struct {
	result   []byte
	business bool
}

func (b *Book) seal(action string, r recorded) string {
	head := []byte{'r'}
	if r.business {
		head[0] = 'b'
	}
	return b.Keys.Seal(keyring.Ledger, append(head, r.result...), []byte("result "+action))
}

func (b *Book) unseal(e *receipt.Entry) (recorded, bool) {
	plain, err := b.Keys.Open(keyring.Ledger, e.Result, []byte("result "+e.Action))
	if err != nil || len(plain) == 0 {
		return recorded{}, false
	}
	return recorded{result: plain[1:], business: plain[0] == 'b'}, true
}

// tell makes the recorded outcome the answer of the call.
func (b *Book) tell(ctx context.Context, c *call.Call, e *receipt.Entry) error {
	kept, err := b.Ledger.Receipts(ctx, e.Action, 1)
	if err != nil {
		return unavailable(err)
	}
	var envelope []byte
	if len(kept) == 1 {
		envelope = kept[0].Envelope
	}
	c.Of, _ = audit.ParseID(e.Action)
	r, ok := b.unseal(e)
	if !ok {
		if r.result = unkept(c, e); r.result == nil {
			again := gateway.Fail(codeOf(e))
			again.Receipt = envelope
			return again
		}
		r.business = e.State == gateway.OutcomeFailed
	}
	c.Business = r.business
	c.Result = b.Hop.Result(r.result, c.Era == audit.Modern)
	c.Result = withReceipt(c.Result, envelope)
	return nil
}

// codeOf is what a repeat is told where no result can be: what the first call was
// told, or that its result is not kept.
func codeOf(e *receipt.Entry) gateway.Code {
	if refused(e) {
		return e.Code
	}
	return gateway.CodeNotKept
}

// refused says whether the first call was told a refusal of the gateway's own.
func refused(e *receipt.Entry) bool { return e.Code != "" && e.Code != gateway.CodeBusinessError }

// unkept stands for a result that never came, was too large to keep, or whose keep is
// over: it says what is on record, and keeps the tool's contract where the external id
// is enough for that. nil where nothing that is known does.
func unkept(c *call.Call, e *receipt.Entry) []byte {
	if refused(e) {
		return nil
	}
	text := "This call was made before, and its outcome is on record: " + string(e.State) + ". Its result is not kept."
	out := append(protocol.AppendString([]byte(`{"content":[{"type":"text","text":`), text), `}]`...)
	if e.State == gateway.OutcomeFailed {
		return append(out, `,"isError":true}`...)
	}
	output := c.Item.Item().Definition.Output
	if output == nil {
		return append(out, '}')
	}
	for _, id := range [...][]byte{protocol.AppendString(nil, e.ExternalID), []byte(e.ExternalID)} {
		evidence := nested(c.Item.Item().Facts.ExternalID, id)
		if e.ExternalID == "" || evidence == nil || id[0] != '"' && !protocol.IsInteger(id) {
			continue
		}
		if violations, err := output.Check(evidence); err == nil && len(violations) == 0 {
			return append(append(append(out, `,"structuredContent":`...), evidence...), '}')
		}
	}
	return nil
}

// withReceipt puts the receipt into a result's _meta.
func withReceipt(result, envelope []byte) []byte {
	if envelope == nil {
		return result
	}
	out := append(make([]byte, 0, len(result)+len(envelope)+64), `{"_meta":{"`+call.MetaReceipt+`":`...)
	out = append(out, envelope...)
	meta, _ := protocol.Member(result, "_meta")
	for name, value := range protocol.Members(meta) {
		out = protocol.AppendString(append(out, ','), string(name))
		out = append(append(out, ':'), value...)
	}
	out = append(out, '}')
	for name, value := range protocol.Members(result) {
		if string(name) == "_meta" {
			continue
		}
		out = protocol.AppendString(append(out, ','), string(name))
		out = append(append(out, ':'), value...)
	}
	return append(out, '}')
}

// Repeated puts on record that a recorded outcome was told again.
func (b *Book) Repeated(ctx context.Context, c *call.Call) error {
	if !c.Replays() {
		return nil
	}
	return b.Record.Repeated(ctx, c, c.Effect.Recorded)
}
