package call

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
)

// What hosts and the gateway say to each other in _meta about calls.
const (
	MetaKey     = "mcp-gateway/idempotency-key" // of the host: repeats with one key run once
	MetaTimeout = "mcp-gateway/timeout-ms"      // of the host: how long it waits, from the call's arrival
	MetaReceipt = "mcp-gateway/receipt"         // of the gateway: a DSSE envelope
)

// Effect is what the ledger knows of a call with side effects. Calls that only
// read have none.
type Effect struct {
	Key    string            // "" until one is minted
	Source receipt.KeySource // of Key
	Scope  *receipt.Scope    // nil for a minted key

	Resumes  *receipt.Entry // the action that this call goes on with; nil = none
	Recorded *receipt.Entry // a settled action whose outcome is told again; nil = none
	Entry    *receipt.Entry // once it is in flight

	ExternalID string // evidence that the result holds
	VerifiedBy string // the read tool that found it too; "" = nobody looked, or it did not
	Doubted    bool   // an earlier try of this very call may have run
	Refused    bool   // the upstream's own word says that it was not done
}

// Replays says whether a recorded outcome is told again: nothing is sent.
func (c *Call) Replays() bool { return c.Effect != nil && c.Effect.Recorded != nil }

// SideEffects says whether the call may change something and is therefore of the
// ledger: a tool that is not reviewed as a read.
func (c *Call) SideEffects() bool {
	return c.Item.Valid() && c.Item.Item().ID.Kind == gateway.KindTool && c.Item.Item().Facts.Class() != gateway.Read
}

// Fates tells what the journal knows of what other writers did.
type Fates interface {
	// Alive says whether the writer's process lives.
	Alive(writer string) bool
	// Fate is what the writer put on record of an action.
	Fate(ctx context.Context, writer, action string) (Fate, error)
}

// Fate is what is on record of one action; zero positions are events that are not
// there. Without a decided event nothing was sent.
type Fate struct {
	Decided, Finished audit.Position
	Outcome           gateway.Outcome
	Code              gateway.Code
}

// Remaining is the shortest of what the reviewer, the operator and policy allow for
// one exchange, and of what is left of the time that the host waits.
func (c *Call) Remaining() time.Duration {
	d := c.World.Limits.CallTimeout
	for _, t := range [...]time.Duration{c.Item.Item().Facts.Timeout, c.Decision.Obligations.Timeout} {
		if t > 0 && t < d {
			d = t
		}
	}
	if !c.Deadline.IsZero() {
		d = min(d, c.Deadline.Sub(c.Now()))
	}
	return d
}
