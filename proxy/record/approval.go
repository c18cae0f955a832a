package record

import (
	"context"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
)

// Asked puts on record that a person is asked about a call.
func (r *Recorder) Asked(ctx context.Context, c *call.Call, ticket string) error {
	e := r.event(c, audit.ApprovalAsked)
	e.Action = c.ID
	return r.answered(ctx, c, e, ticket)
}

// Superseded puts on record that a ticket ended because policy asks for something else
// now.
func (r *Recorder) Superseded(ctx context.Context, c *call.Call, ticket string) error {
	e := r.event(c, audit.ApprovalRevoked)
	e.Action, e.Label = c.ID, approval.ViaPolicy
	return r.answered(ctx, c, e, ticket)
}

// Answered puts on record what the caller's own user answered, and about which tool.
func (r *Recorder) Answered(ctx context.Context, c *call.Call, ticket string, granted bool) error {
	of := r.event(c, audit.ApprovalRefused)
	e := &audit.Event{
		Type: of.Type, Action: c.ID, Approver: r.Names.Principal(c.Principal.ID()),
		Upstream: of.Upstream, Tool: of.Tool, ToolRef: of.ToolRef, Definition: of.Definition,
	}
	if granted {
		e.Type = audit.ApprovalGranted
	}
	return r.answered(ctx, c, e, ticket)
}

// Used puts on record that a call relies on what a person approved elsewhere: whose
// call, of which tool, by whose word and how that came. That they said yes is an event of
// its own, from when they did.
func (r *Recorder) Used(ctx context.Context, c *call.Call, t *approval.Ticket) error {
	of := r.event(c, audit.ApprovalUsed)
	e := &audit.Event{ // what was decided is told by the call's own event
		Type: of.Type, Action: c.ID, Principal: of.Principal, Subject: of.Subject, Tenant: of.Tenant, Client: of.Client,
		Upstream: of.Upstream, Tool: of.Tool, ToolRef: of.ToolRef, Definition: of.Definition,
		Approver: r.Names.Principal(t.Verdict.Approver), Label: audit.Word(t.Verdict.Via),
	}
	return r.answered(ctx, c, e, t.ID)
}

// answered is an event beside the call's own, which it doesn't replace.
func (r *Recorder) answered(ctx context.Context, c *call.Call, e *audit.Event, ticket string) error {
	e.Approval, _ = audit.ParseID(ticket)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.World.Limits.AuditTimeout)
	defer cancel()
	if _, err := r.Journal.Append(ctx, e, durability(c)); err != nil {
		return gateway.Because(gateway.CodeAuditUnavailable, err)
	}
	return nil
}
