package consent

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/record"
	"mcp-gateway/redact"
)

// MetaApproval is the key in _meta under which a host may name the ticket that its
// repeat of a call relies on. The same call of the same caller finds it without.
const MetaApproval = "mcp-gateway/approval"

// Life is how long a ticket is good for, answered or not.
const Life = 15 * time.Minute

// mostPending is how many questions of one caller may be open.
const mostPending = 16

// viaHost marks answers that came through the caller's own host.
const viaHost = "elicitation"

// patience is how long one change of the tickets may take.
const patience = 3 * time.Second

// Desk is where calls wait for people. All its members are required.
type Desk struct {
	Tickets  approval.Tickets
	Keys     *keyring.Ring
	Redactor *redact.Redactor
	Record   *record.Recorder
	// Decide asks policy about the call, with c.Approval as a fact.
	Decide func(ctx context.Context, c *call.Call) error
	// Holds says whether the item is still served as it was pinned; "" if so.
	Holds func(c *call.Call) gateway.Reason
}

// Consent lets a call go on that policy allowed, or that somebody approved. Any
// other is refused: nothing is sent.
func (d *Desk) Consent(ctx context.Context, c *call.Call) error {
	own, answer := takeAnswer(c)
	if c.Permit.Valid() {
		return nil
	}
	t, err := d.ticket(ctx, c)
	if err != nil {
		return err
	}
	if t.State == approval.Pending && answer != nil && own == t.ID {
		if t, err = d.heard(ctx, c, t, answer); err != nil {
			return err
		}
	}
	if t.State == approval.Pending {
		if t, err = d.ask(ctx, c, t); err != nil {
			return err
		}
	}
	return d.use(ctx, c, t)
}

// ticket finds the ticket that a call relies on, or opens one.
func (d *Desk) ticket(ctx context.Context, c *call.Call) (*approval.Ticket, error) {
	b := bindingOf(c)
	if fx := c.Effect; fx != nil && fx.Resumes != nil && fx.Resumes.State == gateway.OutcomeAwaiting && fx.Resumes.Approval != "" {
		return d.named(ctx, fx.Resumes.Approval, b, fx.Resumes.Action) // a later round of the call that it was used for
	}
	if raw, ok := protocol.Member(c.Request.Meta.Raw, MetaApproval); ok {
		id, _ := protocol.Text(raw)
		return d.named(ctx, id, b, "")
	}
	return d.open(ctx, c, b)
}

// named returns the ticket of that id if it is for this call.
func (d *Desk) named(ctx context.Context, id string, b *approval.Binding, action string) (*approval.Ticket, error) {
	t, err := d.Tickets.Ticket(ctx, id)
	switch {
	case errors.Is(err, approval.ErrNoTicket):
		return nil, gateway.Because(gateway.CodeApprovalInvalid, err, "approval_unknown")
	case err != nil:
		return nil, unavailable(err)
	}
	if differs := t.Binding.Differs(b); differs != "" {
		return nil, gateway.Fail(gateway.CodeApprovalInvalid, differs)
	}
	switch {
	case t.State == approval.Consumed && action != "" && t.Action == action:
		t.State = approval.Approved
		return t, nil
	case t.State == approval.Denied:
		return nil, gateway.Fail(gateway.CodeUserDenied)
	case t.State == approval.Pending, t.State == approval.Approved:
		return t, nil
	}
	return nil, gateway.Fail(gateway.CodeApprovalInvalid, gateway.Reason("approval_"+string(t.State)))
}

// open returns the open ticket of a binding, which it makes where there is none.
func (d *Desk) open(ctx context.Context, c *call.Call, b *approval.Binding) (*approval.Ticket, error) {
	shown, err := d.show(c)
	if err != nil {
		return nil, err
	}
	now := c.Now()
	t := &approval.Ticket{
		ID: audit.NewID(now).String(), State: approval.Pending, Binding: *b, Created: now, Expires: now.Add(Life),
	}
	t.Shown = d.Keys.Seal(keyring.Ledger, shown, []byte("ticket "+t.ID))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	open, err := d.Tickets.Ask(ctx, t, mostPending)
	switch {
	case errors.Is(err, approval.ErrTooMany):
		e := gateway.Because(gateway.CodeRateLimited, err, "approvals_pending")
		e.RetryAfter = time.Minute
		return nil, e
	case err != nil:
		return nil, unavailable(err)
	}
	if open.ID != t.ID {
		return open, nil
	}
	return open, d.Record.Asked(ctx, c, t.ID)
}

// use asks policy again with the approval as a fact.
func (d *Desk) use(ctx context.Context, c *call.Call, t *approval.Ticket) error {
	c.Approval = t.Fact()
	if err := d.Decide(ctx, c); err != nil {
		return err
	}
	if !c.Permit.Valid() {
		return required(c, t)
	}
	if t.Verdict.Via != viaHost { // a host's answer was put on record when it came
		return d.Record.Granted(ctx, c, t)
	}
	return nil
}

// required says that a person must approve, and which ticket waits for it.
func required(c *call.Call, t *approval.Ticket) error {
	e := gateway.Fail(gateway.CodeApprovalRequired, c.Decision.Reasons...)
	e.Ticket, e.Until = t.ID, t.Expires
	return e
}

// bindingOf is the very call.
func bindingOf(c *call.Call) *approval.Binding {
	p, item := c.Principal, c.Item.Item()
	arguments := c.Arguments
	if arguments == nil {
		arguments = []byte("{}")
	}
	return &approval.Binding{
		Issuer: p.Issuer, Subject: p.Subject, Tenant: p.Tenant, Client: p.Client,
		Upstream: item.ID.Upstream, Tool: item.ID.Kind.String() + ":" + item.ID.Name,
		Definition: item.Definition.Digest, Arguments: protocol.DigestOf(arguments),
	}
}

func unavailable(err error) error {
	return gateway.Because(gateway.CodeReceiptUnavailable, err, gateway.ReasonLedger)
}
