package tickets

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
)

var _ approval.Tickets = (*Box)(nil)

// Box is the part of a state database that holds tickets and consents. All its
// members are required.
type Box struct {
	Read    *sql.DB
	Commit  func(ctx context.Context, durable bool, do func(context.Context, *sql.Tx) error) error
	Explain func(doing string, err error) error
}

// Ask implements approval.Tickets.
func (b *Box) Ask(ctx context.Context, t *approval.Ticket, most int) (*approval.Ticket, error) {
	var open *approval.Ticket
	var ended string
	err := b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		of := &t.Binding
		digest, now := of.Digest(), t.Created.UnixNano()
		if _, err := tx.ExecContext(ctx, lapse+" AND binding = ?", now, digest); err != nil {
			return err
		}
		var err error
		if ended, err = supersede(ctx, tx, t, digest); err != nil {
			return err
		}
		if open, err = standing(ctx, tx, t, digest); err != nil || open != nil {
			return err
		}
		if err := tooOften(ctx, tx, t, most); err != nil {
			return err
		}
		open = t
		_, err = tx.ExecContext(ctx, `
			INSERT INTO tickets (id, state, binding, issuer, subject, tenant, client, upstream, tool, definition, arguments, shown, created, expires, terms)
			VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.ID, digest, of.Issuer, of.Subject, of.Tenant, of.Client, of.Upstream, of.Tool, string(of.Definition), string(of.Arguments),
			t.Shown, now, t.Expires.UnixNano(), t.Terms)
		return err
	})
	if err != nil && !errors.Is(err, approval.ErrDenied) {
		return nil, b.Explain("opening a ticket", err)
	}
	if open == t {
		t.Instead = ended
	}
	return open, err
}

// supersede ends the open ticket of a binding that does not answer for it any more, and
// returns its id; "" if there is none.
func supersede(ctx context.Context, tx *sql.Tx, t *approval.Ticket, binding string) (string, error) {
	old, err := scanTicket(tx.QueryRowContext(ctx, selectTickets+"WHERE binding = ? AND state IN ('pending', 'approved')", binding).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	reason := approval.NotEnough
	switch {
	case !old.Under(t.Terms):
		reason = approval.TermsChanged
	case old.ID != t.Instead:
		return "", nil
	}
	now := t.Created.UnixNano()
	_, err = tx.ExecContext(ctx, `
		UPDATE tickets SET state = 'cancelled', decided = ?1, ended = ?1, approver = '', approver_groups = '', self = 0, via = ?2, reason = ?3, shown = ''
		WHERE id = ?4`, now, approval.ViaPolicy, reason, old.ID)
	return old.ID, err
}

// standing returns the ticket that answers for a binding now: the open one, or the
// one that was denied under its terms, with ErrDenied, until its time is over. nil if
// there is none.
func standing(ctx context.Context, tx *sql.Tx, of *approval.Ticket, binding string) (*approval.Ticket, error) {
	t, err := scanTicket(tx.QueryRowContext(ctx, selectTickets+`
		WHERE binding = ?1 AND (state IN ('pending', 'approved') OR state = 'denied' AND expires > ?2 AND (terms = ?3 OR terms = '' OR ?3 = ''))
		ORDER BY state = 'denied' LIMIT 1`,
		binding, of.Created.UnixNano(), of.Terms).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err == nil && t.State == approval.Denied:
		return t, approval.ErrDenied
	}
	return t, err
}

// tooOften holds a caller to how much it may ask.
func tooOften(ctx context.Context, tx *sql.Tx, t *approval.Ticket, most int) error {
	b, now := &t.Binding, t.Created.UnixNano()
	var pending, cancelled int
	err := tx.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM tickets WHERE state = 'pending' AND expires > ?1 AND issuer = ?2 AND subject = ?3 AND tenant = ?4 AND client = ?5),
			(SELECT count(*) FROM tickets WHERE binding = ?6 AND state = 'cancelled' AND expires > ?1 AND NOT (via = ?7 AND reason = ?8))`,
		now, b.Issuer, b.Subject, b.Tenant, b.Client, b.Digest(), approval.ViaPolicy, approval.TermsChanged).Scan(&pending, &cancelled)
	if err == nil && (pending >= most || cancelled >= approval.MostCancelled) {
		err = approval.ErrTooMany
	}
	return err
}

// lapse ends tickets whose time is over. Their ended stays 0 until that is told to
// somebody who puts it on record.
const lapse = `UPDATE tickets SET state = 'expired', shown = '' WHERE state IN ('pending', 'approved') AND expires <= ?`

const selectTickets = `SELECT id, state, issuer, subject, tenant, client, upstream, tool, definition, arguments, shown, created, expires,
	decided, approver, approver_groups, self, via, reason, action, terms FROM tickets `

func scanTicket(scan func(...any) error) (*approval.Ticket, error) {
	var t approval.Ticket
	var state, definition, arguments, groups string
	var created, expires, decided int64
	b, v := &t.Binding, &t.Verdict
	err := scan(&t.ID, &state, &b.Issuer, &b.Subject, &b.Tenant, &b.Client, &b.Upstream, &b.Tool, &definition, &arguments, &t.Shown,
		&created, &expires, &decided, &v.Approver, &groups, &v.Self, &v.Via, &v.Reason, &t.Action, &t.Terms)
	if err != nil {
		return nil, err
	}
	t.State, b.Definition, b.Arguments = approval.State(state), gateway.Digest(definition), gateway.Digest(arguments)
	t.Created, t.Expires, v.Groups = instant(created), instant(expires), splitGroups(groups)
	if decided > 0 {
		v.At, v.State = instant(decided), approval.Approved
		if t.State == approval.Denied || t.State == approval.Cancelled {
			v.State = t.State
		}
	}
	return &t, nil
}

// Ticket implements approval.Tickets.
func (b *Box) Ticket(ctx context.Context, id string) (*approval.Ticket, error) {
	t, err := scanTicket(b.Read.QueryRowContext(ctx, selectTickets+"WHERE id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = approval.ErrNoTicket
	}
	return t, b.Explain("reading a ticket", err)
}

// Decide implements approval.Tickets.
func (b *Box) Decide(ctx context.Context, id string, v approval.Verdict) error {
	return b.Explain("deciding a ticket", b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		from, ended, shown := "state = 'pending'", int64(0), "shown"
		if v.State == approval.Cancelled {
			from = "state IN ('pending', 'approved')"
		}
		if v.State != approval.Approved {
			ended, shown = v.At.UnixNano(), "''"
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE tickets SET state = ?, decided = ?, ended = ?, approver = ?, approver_groups = ?, self = ?, via = ?, reason = ?, shown = `+shown+`
			WHERE id = ? AND expires > ? AND `+from,
			string(v.State), v.At.UnixNano(), ended, v.Approver, strings.Join(v.Groups, "\n"), v.Self, v.Via, v.Reason, id, v.At.UnixNano())
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil {
			return err
		} else if n != 1 {
			return approval.ErrState
		}
		return remember(ctx, tx, id, &v)
	}))
}

// Consume implements approval.Tickets.
func (b *Box) Consume(ctx context.Context, id, action string, now time.Time) error {
	return b.Explain("using up an approval", b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		return Consume(ctx, tx, id, action, now)
	}))
}

// Consume uses up an approved ticket within a transaction, or makes sure that a consent
// of that id still stands: it is not used up, and must not have been withdrawn.
func Consume(ctx context.Context, tx *sql.Tx, id, action string, now time.Time) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE tickets SET state = 'consumed', action = ?, ended = ?, shown = ''
		WHERE id = ? AND state = 'approved' AND expires > ?`, action, now.UnixNano(), id, now.UnixNano())
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n == 1 || err != nil {
		return err
	}
	var stands int
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM consents WHERE id = ? AND expires > ?", id, now.UnixNano()).Scan(&stands)
	if err == nil && stands == 0 {
		err = approval.ErrState
	}
	return err
}

// Tickets implements approval.Tickets.
func (b *Box) Tickets(ctx context.Context, q approval.Query) ([]approval.Ticket, error) {
	query, args := selectTickets+"WHERE 1", []any{}
	if len(q.States) > 0 {
		query += " AND state IN (?" + strings.Repeat(", ?", len(q.States)-1) + ")"
		for _, state := range q.States {
			args = append(args, string(state))
		}
	}
	if q.Tenant != "" {
		query, args = query+" AND tenant = ?", append(args, q.Tenant)
	}
	if q.Before != "" {
		query, args = query+" AND (created, id) < (SELECT created, id FROM tickets WHERE id = ?)", append(args, q.Before)
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	var all []approval.Ticket
	err := b.each(ctx, func(scan func(...any) error) error {
		t, err := scanTicket(scan)
		if err == nil {
			all = append(all, *t)
		}
		return err
	}, query+" ORDER BY created DESC, id DESC LIMIT ?", append(args, q.Limit)...)
	return all, b.Explain("reading tickets", err)
}

// Expire implements approval.Tickets.
func (b *Box) Expire(ctx context.Context, now time.Time, noted bool) ([]approval.Ticket, error) {
	var over []approval.Ticket
	err := b.Commit(ctx, false, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, lapse, now.UnixNano()); err != nil || !noted {
			return err
		}
		rows, err := tx.QueryContext(ctx, `UPDATE tickets SET ended = ? WHERE state = 'expired' AND ended = 0
			RETURNING id, state, issuer, subject, tenant, client, upstream, tool, definition, arguments,
			shown, created, expires, decided, approver, approver_groups, self, via, reason, action, terms`, now.UnixNano())
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			t, err := scanTicket(rows.Scan)
			if err != nil {
				return err
			}
			over = append(over, *t)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, b.Explain("expiring tickets", err)
	}
	return over, nil
}

// splitGroups is the inverse of joining by line breaks, which no group's name has.
func splitGroups(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// each calls row for every row.
func (b *Box) each(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := b.Read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func instant(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }
