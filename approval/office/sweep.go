package office

import (
	"context"
	"errors"
	"time"

	"mcp-gateway/approval"
)

// grace is how long who decided may take to put that on record.
const grace = time.Minute

// Sweep ends what nobody answered in time, and puts on record how tickets stand that are
// not: what time ended, and what was decided by a process that died before it could say
// so. Where no gateway runs that could, the next one does. Each event comes once, and
// once more where two gateways find the same missing at the same moment.
func (o *Office) Sweep(ctx context.Context) error {
	now := o.Clock()
	if err := o.Tickets.Expire(ctx, now); err != nil || o.Record == nil {
		return err
	}
	all, err := o.Tickets.Unnoted(ctx, now.Add(-grace))
	for i := range all {
		if e := o.settle(ctx, &all[i]); e != nil {
			err = errors.Join(err, e)
			continue
		}
		err = errors.Join(err, o.Tickets.Noted(ctx, &all[i]))
	}
	return err
}

// settle puts on record what there is no event of.
func (o *Office) settle(ctx context.Context, t *approval.Ticket) error {
	for _, d := range deeds(t) {
		there, err := o.Recorded(ctx, d, t.ID)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		a := Act{Deed: d, Ticket: t.ID, Of: &t.Binding}
		if d != Expired {
			a.Who = approval.Person{Subject: t.Verdict.Approver, Groups: t.Verdict.Groups, Via: t.Verdict.Via}
		}
		if err := o.record(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// deeds are what must be on record of a ticket, in order: the yes that it was given, and
// how it ended. That it was used is told by the call's own events.
func deeds(t *approval.Ticket) []Deed {
	var all []Deed
	if t.Verdict.State == approval.Approved {
		all = append(all, Approved)
	}
	switch t.State {
	case approval.Denied:
		all = append(all, Denied)
	case approval.Cancelled:
		all = append(all, Revoked)
	case approval.Expired:
		all = append(all, Expired)
	}
	return all
}
