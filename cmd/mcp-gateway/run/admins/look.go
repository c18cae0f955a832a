package admins

import (
	"context"
	"errors"

	"mcp-gateway/admin"
	"mcp-gateway/approval/office"
	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
	"mcp-gateway/auth/staff"
	"mcp-gateway/gateway"
)

// look shows the kept arguments of a call once it is on record who looks and why.
// detail.ErrNone says that nothing is kept, or that it is another tenant's call.
func (d *Desk) look(ctx context.Context, m *staff.Member, action audit.ID, why gateway.Reason) (admin.Detail, error) {
	if m.Tenant != "" {
		rows, err := d.o.Index.Query(ctx, audit.Filter{Action: action, Tenant: audit.Label(m.Tenant), Limit: 1})
		if err != nil {
			return admin.Detail{}, err
		}
		if len(rows) == 0 {
			return admin.Detail{}, detail.ErrNone
		}
	}
	kept, err := d.o.Kept(ctx, action)
	if err != nil {
		return admin.Detail{}, err
	}
	if !d.o.Clock().Before(kept.Expires) {
		return admin.Detail{}, detail.ErrNone
	}
	e := &audit.Event{
		Type: audit.DetailRead, Action: action, Reasons: []gateway.Reason{why}, Label: "api",
		Approver: d.o.Names.Principal(m.Subject), Client: audit.Label(m.ID), Tenant: audit.Label(m.Tenant),
	}
	if err := d.append(ctx, e); err != nil {
		return admin.Detail{}, errors.Join(office.Unrecorded, err)
	}
	arguments, err := detail.Open(d.o.Keys, kept, d.o.Clock())
	return admin.Detail{Action: action.String(), Expires: kept.Expires.UTC(), Arguments: arguments}, err
}
