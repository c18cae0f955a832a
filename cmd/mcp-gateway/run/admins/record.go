package admins

import (
	"context"
	"strings"

	"mcp-gateway/approval/office"
	"mcp-gateway/audit"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/registry/listed"
)

// types are the events of deeds.
func types(d office.Deed) audit.Type {
	switch d {
	case office.Approved:
		return audit.ApprovalGranted
	case office.Denied:
		return audit.ApprovalRefused
	case office.Read:
		return audit.DetailRead
	case office.Expired:
		return audit.ApprovalExpired
	}
	return audit.ApprovalRevoked
}

// record makes an act durable: who did what to which ticket, of which tool, by which key. The approver
// is named as in the event of the call that relies on the ticket.
func (d *Desk) record(ctx context.Context, a office.Act) error {
	e := &audit.Event{Type: types(a.Deed)}
	e.Approval, _ = audit.ParseID(a.Ticket) // ours: it is one
	if a.Of != nil && audit.Ident(a.Of.Upstream).Valid() {
		e.Upstream = audit.Ident(a.Of.Upstream)
		tool, ok := strings.CutPrefix(a.Of.Tool, "tool:") // else what has no name of ours
		if name := audit.Ident(listed.ExposedName(a.Of.Upstream, tool)); ok && name.Valid() {
			e.Tool = name
		}
	}
	if a.Who.Subject != "" {
		e.Approver = d.o.Names.Principal(named(&a))
		e.Client, e.Tenant = audit.Label(a.Who.Key), audit.Label(a.Who.Tenant)
		e.Label = audit.Word(a.Who.Via)
	}
	return d.append(ctx, e)
}

// named is by what name who did it is known: those who run the gateway by their subject, a
// caller whose own host was asked as one who calls.
func named(a *office.Act) string {
	if a.Of == nil || a.Who.Via != consent.ViaHost {
		return a.Who.Subject
	}
	p := gateway.Principal{Issuer: a.Of.Issuer, Subject: a.Of.Subject, Tenant: a.Of.Tenant, Client: a.Of.Client}
	return p.ID()
}

// recorded says whether there is an event of a deed at a ticket. A caller who waved the
// question away has refused it.
func (d *Desk) recorded(ctx context.Context, deed office.Deed, ticket string) (bool, error) {
	f := audit.Filter{Types: []audit.Type{types(deed)}, Limit: 1}
	f.Approval, _ = audit.ParseID(ticket) // ours: it is one
	if deed == office.Revoked {
		f.Types = append(f.Types, audit.ApprovalRefused)
	}
	rows, err := d.o.Index.Query(ctx, f)
	return len(rows) > 0, err
}

// entered puts on record who signed in to the console, or out.
func (d *Desk) entered(ctx context.Context, m *staff.Member, in bool) error {
	e := &audit.Event{Type: audit.AdminLeft, Approver: d.o.Names.Principal(m.Subject), Client: audit.Label(m.ID)}
	if in {
		e.Type = audit.AdminEntered
	}
	return d.append(ctx, e)
}

// refused puts on record that a key was refused, or lacks a right.
func (d *Desk) refused(ctx context.Context, m *staff.Member) {
	e := &audit.Event{Type: audit.AdminRefused}
	if m != nil {
		e.Approver, e.Client = d.o.Names.Principal(m.Subject), audit.Label(m.ID)
	}
	d.told("a refusal could not be put on record", d.append(ctx, e))
}

// append survives whoever asked: what they did is on record though they have gone.
func (d *Desk) append(ctx context.Context, e *audit.Event) error {
	_, err := d.o.Journal.Append(context.WithoutCancel(ctx), e, audit.Disk)
	return err
}
