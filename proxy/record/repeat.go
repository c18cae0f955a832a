package record

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/proxy/call"
	"mcp-gateway/receipt"
)

// Repeated puts on record that the outcome of an earlier action was told again. The
// event names that action's decided event.
func (r *Recorder) Repeated(ctx context.Context, c *call.Call, of *receipt.Entry) error {
	e := r.event(c, audit.ToolRepeated)
	e.Action, e.Outcome = c.ID, of.State
	e.OfReplica, e.OfBoot, e.OfSeq = audit.Ident(of.Decided.Replica), of.Decided.Boot, of.Decided.Seq
	_, err := r.append(c, e)
	return err
}
