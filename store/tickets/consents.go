package tickets

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// remember lets an approval stand for later calls, where it was given so; what takes
// an approval back ends that with it.
func remember(ctx context.Context, tx *sql.Tx, ticket string, v *approval.Verdict, mark int64) error {
	if v.State == approval.Cancelled {
		_, err := tx.ExecContext(ctx, "UPDATE consents SET expires = min(expires, ?1), ends = min(ends, ?2) WHERE ticket = ?3", v.At.UnixNano(), mark, ticket)
		return err
	}
	if v.State != approval.Approved || v.Remember <= 0 {
		return nil
	}
	t, err := scanTicket(tx.QueryRowContext(ctx, selectTickets+"WHERE id = ?", ticket).Scan)
	if err != nil {
		return err
	}
	b := t.Binding.Scope()
	_, err = tx.ExecContext(ctx, `
		INSERT INTO consents (id, scope, issuer, subject, tenant, client, upstream, tool, definition, ticket, decided, expires, ends,
			approver, approver_groups, self, via, reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		audit.NewID(v.At).String(), b.Digest(), b.Issuer, b.Subject, b.Tenant, b.Client, b.Upstream, b.Tool, string(b.Definition), ticket,
		v.At.UnixNano(), v.At.Add(v.Remember).UnixNano(), mark+int64(v.Remember), v.Approver, strings.Join(v.Groups, "\n"), v.Self, v.Via, v.Reason)
	return err
}

// stand holds for consents whose time is not over: by the clock as it stands, ?1, and by
// the time that never goes back, ?2 or what is on record of it.
const stand = "expires > ?1 AND ends > max(?2, (SELECT mark FROM clock))"

const selectConsents = `SELECT id, issuer, subject, tenant, client, upstream, tool, definition, ticket, decided, expires,
	approver, approver_groups, self, via, reason FROM consents `

func scanConsent(scan func(...any) error) (*approval.Consent, error) {
	var c approval.Consent
	var definition, groups string
	var decided, expires int64
	b, v := &c.Binding, &c.Verdict
	err := scan(&c.ID, &b.Issuer, &b.Subject, &b.Tenant, &b.Client, &b.Upstream, &b.Tool, &definition, &c.Ticket, &decided, &expires,
		&v.Approver, &groups, &v.Self, &v.Via, &v.Reason)
	b.Definition, v.Groups, v.State = gateway.Digest(definition), splitGroups(groups), approval.Approved
	v.At, c.Expires = instant(decided), instant(expires)
	return &c, err
}

// Recall implements approval.Tickets.
func (b *Box) Recall(ctx context.Context, of *approval.Binding, now time.Time) (*approval.Consent, error) {
	scope := of.Scope()
	c, err := scanConsent(b.Read.QueryRowContext(ctx, selectConsents+"WHERE scope = ?3 AND "+stand+" ORDER BY expires DESC LIMIT 1",
		now.UnixNano(), b.clock.at(now), scope.Digest()).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return c, b.Explain("reading a consent", err)
}

// Consents implements approval.Tickets.
func (b *Box) Consents(ctx context.Context, tenant string, now time.Time) ([]approval.Consent, error) {
	var all []approval.Consent
	err := b.each(ctx, func(scan func(...any) error) error {
		c, err := scanConsent(scan)
		if err == nil {
			all = append(all, *c)
		}
		return err
	}, selectConsents+"WHERE "+stand+" AND (?3 = '' OR tenant = ?3) ORDER BY decided DESC, id DESC", now.UnixNano(), b.clock.at(now), tenant)
	return all, b.Explain("reading consents", err)
}

// Withdraw implements approval.Tickets.
func (b *Box) Withdraw(ctx context.Context, id string, now time.Time) error {
	return b.Explain("ending a consent", b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		mark, err := b.tick(ctx, tx, now)
		if err != nil {
			return err
		}
		refused, err := one(tx.ExecContext(ctx, "UPDATE consents SET expires = ?1, ends = ?2 WHERE id = ?3 AND expires > ?1 AND ends > ?2", now.UnixNano(), mark, id))
		if refused != nil && err == nil {
			err = approval.ErrNoTicket
		}
		return err
	}))
}
