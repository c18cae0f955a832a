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

// ViaHost marks answers that came through the caller's own host.
const ViaHost = "elicitation"

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
	terms := approval.TermsOf(c.Decision.Obligations.Approvals, c.Decision.Obligations.FreshWithin, c.World.Destinations[c.Item.Item().ID.Upstream])
	if t, err := d.remembered(ctx, c); err != nil {
		return err
	} else if t != nil {
		if used, err := d.use(ctx, c, t); used || err != nil {
			return err
		}
	}
	t, s, err := d.ticket(ctx, c, terms)
	for err == nil {
		if t.State == approval.Pending && answer != nil && own == t.ID {
			t, err = d.heard(ctx, c, t, answer)
		}
		if err == nil && t.State == approval.Pending {
			t, err = d.asked(ctx, c, t, s)
		}
		if err != nil {
			return err
		}
		var used bool
		if used, err = d.use(ctx, c, t); used || err != nil {
			return err
		}
		// Somebody approved, and policy asks for more by now: that is another question. How
		// often the same is asked anew is bounded where it is opened.
		t, s, err = d.open(ctx, c, terms, t.ID)
	}
	return err
}

// remembered returns the consent that stands for this tool and caller as a ticket;
// nil where there is none, or where policy takes none for this very call.
func (d *Desk) remembered(ctx context.Context, c *call.Call) (*approval.Ticket, error) {
	if approval.Remembers(c.Decision.Obligations.Approvals) == 0 {
		return nil, nil
	}
	stands, err := d.Tickets.Recall(ctx, bindingOf(c), c.Now())
	if err != nil {
		return nil, unavailable(err)
	}
	if stands == nil {
		return nil, nil
	}
	return &approval.Ticket{ID: stands.ID, State: approval.Approved, Verdict: stands.Verdict, Expires: stands.Expires}, nil
}

// asked asks about a ticket, whose sheet is made where it was not opened just now.
func (d *Desk) asked(ctx context.Context, c *call.Call, t *approval.Ticket, s *approval.Sheet) (*approval.Ticket, error) {
	if s == nil {
		var err error
		if s, err = d.sheet(c); err != nil {
			return nil, err
		}
	}
	return d.ask(ctx, c, t, s)
}

// ticket finds the ticket that a call relies on, or opens one.
func (d *Desk) ticket(ctx context.Context, c *call.Call, terms string) (*approval.Ticket, *approval.Sheet, error) {
	b := bindingOf(c)
	if fx := c.Effect; fx != nil && fx.Resumes != nil && fx.Resumes.State == gateway.OutcomeAwaiting && fx.Resumes.Approval != "" {
		t, err := d.named(ctx, fx.Resumes.Approval, b, "", fx.Resumes.Action, c.Now()) // a later round of the call that it was used for
		return t, nil, err
	}
	if raw, ok := protocol.Member(c.Request.Meta.Raw, MetaApproval); ok {
		id, _ := protocol.Text(raw)
		if t, err := d.named(ctx, id, b, terms, "", c.Now()); t != nil || err != nil {
			return t, nil, err
		}
	}
	return d.open(ctx, c, terms, "")
}

// named returns the ticket of that id if it is for this call; nil where it was answered,
// or waits, under other terms than those of now.
func (d *Desk) named(ctx context.Context, id string, b *approval.Binding, terms, action string, now time.Time) (*approval.Ticket, error) {
	t, err := d.Tickets.Ticket(ctx, id, now)
	switch {
	case errors.Is(err, approval.ErrNoTicket):
		return nil, gateway.Because(gateway.CodeApprovalInvalid, err, "approval_unknown")
	case err != nil:
		return nil, unavailable(err)
	}
	if differs := t.Binding.Differs(b); differs != "" {
		return nil, gateway.Fail(gateway.CodeApprovalInvalid, differs)
	}
	open := t.State == approval.Pending || t.State == approval.Approved
	switch {
	case t.State == approval.Consumed && action != "" && t.Action == action:
		t.State = approval.Approved
		return t, nil
	case (open || t.State == approval.Denied) && !t.Under(terms):
		return nil, nil
	case t.State == approval.Denied:
		return nil, gateway.Fail(gateway.CodeUserDenied)
	case open:
		return t, nil
	}
	return nil, gateway.Fail(gateway.CodeApprovalInvalid, gateway.Reason("approval_"+string(t.State)))
}

// open returns the open ticket of a binding, which it makes where there is none. What
// was denied stays denied for as long as the ticket would have been good: a caller does
// not ask until somebody gives in. A ticket under other terms does not count, nor does
// the one that this one is asked for instead of; "" = none.
func (d *Desk) open(ctx context.Context, c *call.Call, terms, instead string) (*approval.Ticket, *approval.Sheet, error) {
	s, err := d.sheet(c)
	if err != nil {
		return nil, nil, err
	}
	now := c.Now()
	t := &approval.Ticket{
		ID: audit.NewID(now).String(), State: approval.Pending, Binding: *bindingOf(c), Created: now, Expires: now.Add(Life),
		Terms: terms, Instead: instead,
	}
	if t.Shown, err = approval.SealSheet(d.Keys, t.ID, s); err != nil {
		return nil, nil, unavailable(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	open, err := d.Tickets.Ask(ctx, t, mostPending)
	switch {
	case errors.Is(err, approval.ErrTooMany):
		e := gateway.Because(gateway.CodeRateLimited, err, "approvals_pending")
		e.RetryAfter = time.Minute
		return nil, nil, e
	case errors.Is(err, approval.ErrDenied):
		return nil, nil, gateway.Because(gateway.CodeUserDenied, err, "approval_denied_before")
	case err != nil:
		return nil, nil, unavailable(err)
	}
	if open.ID != t.ID {
		return open, s, nil
	}
	if open.Instead != "" {
		if err := d.Record.Superseded(ctx, c, open.Instead); err != nil {
			return nil, nil, err
		}
	}
	return open, s, d.Record.Asked(ctx, c, t.ID)
}

// use asks policy again with the approval as a fact, and says whether it satisfies policy
// and is used. The ledger uses up the approval of
// a call with a side effect, in the transaction that enters it; that of any other call
// is used up here.
func (d *Desk) use(ctx context.Context, c *call.Call, t *approval.Ticket) (bool, error) {
	c.Approval = t.Fact()
	if err := d.Decide(ctx, c); err != nil {
		return false, err
	}
	if !c.Permit.Valid() {
		c.Approval = nil
		return false, nil
	}
	if c.Effect == nil {
		if err := d.consume(ctx, c, t); err != nil {
			return false, err
		}
	}
	if t.Verdict.Via != ViaHost || t.Binding.Arguments == "" { // a host's answer was put on record when it came
		return true, d.Record.Used(ctx, c, t)
	}
	return true, nil
}

func (d *Desk) consume(ctx context.Context, c *call.Call, t *approval.Ticket) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := d.Tickets.Consume(ctx, t.ID, c.ID.String(), c.Now())
	switch {
	case errors.Is(err, approval.ErrState):
		return gateway.Because(gateway.CodeApprovalRequired, err, gateway.ReasonApprovalUsed)
	case err != nil:
		return unavailable(err)
	}
	return nil
}

// required says that a person must approve, and which ticket waits for it.
func required(c *call.Call, t *approval.Ticket) error {
	e := gateway.Fail(gateway.CodeApprovalRequired, c.Decision.Reasons...)
	e.Ticket, e.Until = t.ID, t.Expires
	if c.World.Console != "" {
		e.Page = c.World.Console + pagePath + t.ID
	}
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
