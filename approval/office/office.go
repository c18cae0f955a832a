package office

import (
	"context"
	"errors"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Deed is what somebody did.
type Deed string

// The deeds that go on record.
const (
	Approved Deed = "approved"
	Denied   Deed = "denied"
	Revoked  Deed = "revoked"
	Read     Deed = "read"   // the arguments of a call
	Forgot   Deed = "forgot" // a remembered consent was ended
	Expired  Deed = "expired"
)

// Act is one deed of one person; nobody's where time did it.
type Act struct {
	Deed   Deed
	Ticket string // or consent
	Who    approval.Person
	Of     *approval.Binding // of the ticket; nil of a consent
}

// Office is where people answer. All its members but Record and Recorded are required.
type Office struct {
	Tickets approval.Tickets
	Ring    *keyring.Ring
	Clock   func() time.Time
	// Record puts an act on record before it is told to anyone; nil, as is Recorded, where
	// no gateway runs that could.
	Record func(ctx context.Context, a Act) error
	// Recorded says whether there is an event of that deed at that ticket.
	Recorded func(ctx context.Context, d Deed, ticket string) (bool, error)
}

// Refusal is why an act was not done, by its code.
type Refusal gateway.Reason

// The refusals, beside those of approval.Sheet.
const (
	NoTicket      Refusal = "approval_unknown"
	Settled       Refusal = "approval_decided" // or its time is over
	NoReason      Refusal = "reason_missing"
	NotRemembered Refusal = "consent_not_remembered" // policy allows no remembering here
	Unrecorded    Refusal = "audit_unavailable"
)

// Error implements error.
func (r Refusal) Error() string { return "office: " + string(r) }

// longestReason bounds what is kept of why, in bytes.
const longestReason = 500

// View is one ticket as a person sees it.
type View struct {
	approval.Ticket
	Sheet *approval.Sheet // nil where it is not kept any more
	Bars  gateway.Reason  // why this person may not approve; "" if they may
}

// List returns a page of the tickets that the person sees, without their sheets.
func (o *Office) List(ctx context.Context, who *approval.Person, q approval.Query) ([]approval.Ticket, error) {
	// What is over is shown as such; that it goes on record is not waited for.
	if err := o.Tickets.Expire(ctx, o.Clock()); err != nil {
		return nil, err
	}
	q.Tenant = who.Tenant
	return o.Tickets.Tickets(ctx, q)
}

// Effect returns what a ticket's call does to the world, which whoever sees the ticket
// may know; "" where it is not kept any more.
func (o *Office) Effect(t *approval.Ticket) gateway.SideEffect {
	s, err := t.Sheet(o.Ring)
	if err != nil {
		return ""
	}
	return s.SideEffect
}

// State returns how a ticket stands, which whoever sees it may know: nothing that its
// call brought is read.
func (o *Office) State(ctx context.Context, who *approval.Person, id string) (approval.State, error) {
	t, err := o.ticket(ctx, who, id)
	if err != nil {
		return "", err
	}
	return t.State, nil
}

// ticket returns a ticket that the person sees.
func (o *Office) ticket(ctx context.Context, who *approval.Person, id string) (*approval.Ticket, error) {
	t, err := o.Tickets.Ticket(ctx, id, o.Clock())
	if errors.Is(err, approval.ErrNoTicket) || err == nil && !who.Sees(&t.Binding) {
		return nil, NoTicket
	}
	return t, err
}

// Show returns one ticket with its sheet, and puts on record who read it.
func (o *Office) Show(ctx context.Context, who *approval.Person, id string) (*View, error) {
	v, err := o.view(ctx, who, id)
	if err == nil && v.Sheet != nil {
		err = o.record(ctx, Act{Read, id, *who, &v.Ticket.Binding})
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (o *Office) view(ctx context.Context, who *approval.Person, id string) (*View, error) {
	t, err := o.ticket(ctx, who, id)
	if err != nil {
		return nil, err
	}
	v := &View{Ticket: *t}
	if v.Sheet, err = t.Sheet(o.Ring); err != nil {
		v.Sheet, v.Bars = nil, approval.ReasonUnseen
		return v, nil
	}
	v.Bars = v.Sheet.Bars(&t.Binding, who)
	return v, nil
}

// Answer is a verdict as a person gives it.
type Answer struct {
	State    approval.State // Approved, Denied, or Cancelled to revoke
	Reason   string         // required, at most 500 bytes
	Remember bool           // let it stand for later calls, where policy allows that
}

// Decide gives the person's answer. An approval that could not be put on record is
// taken back.
func (o *Office) Decide(ctx context.Context, who *approval.Person, id string, a Answer) (*approval.Ticket, error) {
	view, err := o.view(ctx, who, id)
	if err != nil {
		return nil, err
	}
	v := approval.Verdict{
		State: a.State, Approver: who.Subject, Groups: who.Groups, Via: who.Via, At: o.Clock(),
		Self: who.Calls(&view.Binding), Reason: strings.ToValidUTF8(strings.TrimSpace(a.Reason), ""),
	}
	switch {
	case v.Reason == "" || len(v.Reason) > longestReason:
		return nil, NoReason
	case a.State == approval.Approved && view.State == approval.Pending && view.Bars != "":
		return nil, Refusal(view.Bars)
	case a.State == approval.Approved && a.Remember && view.Sheet != nil:
		if v.Remember = approval.Remembers(view.Sheet.Needs); v.Remember == 0 {
			return nil, NotRemembered
		}
	}
	if err := o.Tickets.Decide(ctx, id, v); errors.Is(err, approval.ErrState) {
		return nil, Settled
	} else if err != nil {
		return nil, err
	}
	if err := o.record(ctx, Act{deed(a.State), id, *who, &view.Ticket.Binding}); err != nil {
		return nil, errors.Join(err, o.takeBack(ctx, id, v))
	}
	view.Ticket.State, view.Ticket.Verdict = a.State, v
	return &view.Ticket, nil
}

func deed(s approval.State) Deed {
	switch s {
	case approval.Approved:
		return Approved
	case approval.Denied:
		return Denied
	}
	return Revoked
}

// takeBack undoes an approval. What it gave for later is ended with it.
func (o *Office) takeBack(ctx context.Context, id string, v approval.Verdict) error {
	if v.State != approval.Approved {
		return nil
	}
	v.State, v.At, v.Remember = approval.Cancelled, o.Clock(), 0
	return o.Tickets.Decide(ctx, id, v)
}

// Consents lists the remembered consents that the person sees.
func (o *Office) Consents(ctx context.Context, who *approval.Person) ([]approval.Consent, error) {
	return o.Tickets.Consents(ctx, who.Tenant, o.Clock())
}

// Forget ends a remembered consent. That it ends is on record before it does.
func (o *Office) Forget(ctx context.Context, who *approval.Person, id string) error {
	all, err := o.Consents(ctx, who)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].ID != id {
			continue
		}
		if err := o.record(ctx, Act{Forgot, id, *who, nil}); err != nil {
			return err
		}
		return o.Tickets.Withdraw(ctx, id, o.Clock())
	}
	return NoTicket
}

func (o *Office) record(ctx context.Context, a Act) error {
	if o.Record == nil {
		return nil
	}
	if err := o.Record(ctx, a); err != nil {
		return errors.Join(Unrecorded, err)
	}
	return nil
}
