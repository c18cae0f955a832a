package record

import (
	"context"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
	"mcp-gateway/registry"
	"mcp-gateway/registry/listed"
)

// patience is how long an event beside a call may take to become durable.
const patience = 3 * time.Second

// AskedStatus puts on record, before it is sent, that a reviewed read tool is asked
// what became of an action.
func (r *Recorder) AskedStatus(ctx context.Context, action audit.ID, tool *registry.Item) error {
	e := &audit.Event{
		Type: audit.LedgerAsked, Action: action, Upstream: audit.Ident(tool.ID.Upstream), Definition: tool.Definition.Digest,
	}
	if exposed := audit.Ident(tool.Exposed); exposed.Valid() {
		e.Tool = exposed
	}
	_, err := r.beside(ctx, e, audit.Process)
	return err
}

// Reconciled puts on record what became of an action whose outcome was unknown, and
// who says so: the reason is the source, the approver a person, known by a key.
func (r *Recorder) Reconciled(ctx context.Context, of *receipt.Entry, outcome gateway.Outcome, source receipt.Source, by, key string) (audit.Position, error) {
	e := &audit.Event{
		Type: audit.LedgerReconciled, Upstream: audit.Ident(of.Item.Upstream), Outcome: outcome, Reasons: []gateway.Reason{gateway.Reason(source)},
		OfReplica: audit.Ident(of.Decided.Replica), OfBoot: of.Decided.Boot, OfSeq: of.Decided.Seq,
	}
	if exposed := audit.Ident(listed.Exposed(of.Item)); of.Item.Kind == gateway.KindTool && exposed.Valid() {
		e.Tool = exposed
	}
	e.Action, _ = audit.ParseID(of.Action)
	if source == receipt.SourceOperator {
		e.Approver, e.Client = r.Names.Principal(by), audit.Label(key)
	}
	return r.beside(ctx, e, audit.Disk)
}

func (r *Recorder) beside(ctx context.Context, e *audit.Event, d audit.Durability) (audit.Position, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	at, err := r.Journal.Append(ctx, e, d)
	if err != nil {
		return audit.Position{}, gateway.Because(gateway.CodeAuditUnavailable, err)
	}
	return at, nil
}
