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

	clock clock
}

// Ask implements approval.Tickets.
func (b *Box) Ask(ctx context.Context, t *approval.Ticket, most int) (*approval.Ticket, error) {
	var open *approval.Ticket
	var ended string
	err := b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		of := &t.Binding
		digest := of.Digest()
		mark, err := b.tick(ctx, tx, t.Created)
		if err != nil {
			return err
		}
		if ended, err = supersede(ctx, tx, t, digest); err != nil {
			return err
		}
		if open, err = standing(ctx, tx, t, digest, mark); err != nil || open != nil {
			return err
		}
		if err := tooOften(ctx, tx, t, most, mark); err != nil {
			return err
		}
		open = t
		_, err = tx.ExecContext(ctx, `
			INSERT INTO tickets (id, state, binding, issuer, subject, tenant, client, upstream, tool, definition, arguments, shown, created, expires, ends, terms)
			VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.ID, digest, of.Issuer, of.Subject, of.Tenant, of.Client, of.Upstream, of.Tool, string(of.Definition), string(of.Arguments),
			t.Shown, t.Created.UnixNano(), t.Expires.UnixNano(), mark+int64(t.Expires.Sub(t.Created)), t.Terms)
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
		UPDATE tickets SET state = 'cancelled', decided = ?1, ended = ?1, approver = '', approver_groups = '', self = 0, via = ?2, reason = ?3, noted = 0, shown = ''
		WHERE id = ?4`, now, approval.ViaPolicy, reason, old.ID)
	return old.ID, err
}

// standing returns the ticket that answers for a binding now: the open one, or the
// one that was denied under its terms, with ErrDenied, until its time is over. nil if
// there is none.
func standing(ctx context.Context, tx *sql.Tx, of *approval.Ticket, binding string, mark int64) (*approval.Ticket, error) {
	t, err := scanTicket(tx.QueryRowContext(ctx, selectTickets+`
		WHERE binding = ?1 AND (state IN ('pending', 'approved') OR state = 'denied' AND ends > ?2 AND (terms = ?3 OR terms = '' OR ?3 = ''))
		ORDER BY state = 'denied' LIMIT 1`,
		binding, mark, of.Terms).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err == nil && t.State == approval.Denied:
		return t, approval.ErrDenied
	}
	return t, err
}

// tooOften holds a caller to how much it may ask.
func tooOften(ctx context.Context, tx *sql.Tx, t *approval.Ticket, most int, mark int64) error {
	b := &t.Binding
	var pending, cancelled int
	err := tx.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM tickets WHERE state = 'pending' AND issuer = ?2 AND subject = ?3 AND tenant = ?4 AND client = ?5),
			(SELECT count(*) FROM tickets WHERE binding = ?6 AND state = 'cancelled' AND ends > ?1 AND NOT (via = ?7 AND reason = ?8))`,
		mark, b.Issuer, b.Subject, b.Tenant, b.Client, b.Digest(), approval.ViaPolicy, approval.TermsChanged).Scan(&pending, &cancelled)
	if err == nil && (pending >= most || cancelled >= approval.MostCancelled) {
		err = approval.ErrTooMany
	}
	return err
}

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
func (b *Box) Ticket(ctx context.Context, id string, now time.Time) (*approval.Ticket, error) {
	is, err := b.isOver(ctx, id, now)
	if err == nil && is {
		err = b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
			_, err := b.tick(ctx, tx, now)
			return err
		})
	}
	if err != nil {
		return nil, b.Explain("reading a ticket", err)
	}
	t, err := scanTicket(b.Read.QueryRowContext(ctx, selectTickets+"WHERE id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = approval.ErrNoTicket
	}
	return t, b.Explain("reading a ticket", err)
}

// Decide implements approval.Tickets. What a verdict finds over stays so, though it is
// refused.
func (b *Box) Decide(ctx context.Context, id string, v approval.Verdict) error {
	var refused error
	err := b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		mark, err := b.tick(ctx, tx, v.At)
		if err != nil {
			return err
		}
		if refused, err = decide(ctx, tx, id, &v); refused != nil || err != nil {
			return err
		}
		return remember(ctx, tx, id, &v, mark)
	})
	if err == nil {
		err = refused
	}
	return b.Explain("deciding a ticket", err)
}

// decide is the one change that a verdict makes.
func decide(ctx context.Context, tx *sql.Tx, id string, v *approval.Verdict) (refused, err error) {
	from, ended, shown := "state = 'pending'", int64(0), "shown"
	if v.State == approval.Cancelled {
		from = "state IN ('pending', 'approved')"
	}
	if v.State != approval.Approved {
		ended, shown = v.At.UnixNano(), "''"
	}
	return one(tx.ExecContext(ctx, `
		UPDATE tickets SET state = ?, decided = ?, ended = ?, approver = ?, approver_groups = ?, self = ?, via = ?, reason = ?, noted = 0, shown = `+shown+`
		WHERE id = ? AND `+from,
		string(v.State), v.At.UnixNano(), ended, v.Approver, strings.Join(v.Groups, "\n"), v.Self, v.Via, v.Reason, id))
}

// one refuses a change of no ticket with ErrState.
func one(result sql.Result, err error) (refused, failed error) {
	if err != nil {
		return nil, err
	}
	n, err := result.RowsAffected()
	if n != 1 {
		refused = approval.ErrState
	}
	return refused, err
}

// Consume implements approval.Tickets.
func (b *Box) Consume(ctx context.Context, id, action string, now time.Time) error {
	var refused error
	err := b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) (err error) {
		refused, err = b.Use(ctx, tx, id, action, now)
		return err
	})
	if err == nil {
		err = refused
	}
	return b.Explain("using up an approval", err)
}

// Use uses up an approved ticket within a transaction, or makes sure that a consent of
// that id still stands: it is not used up, and must not have been withdrawn. Where it is
// refused, with ErrState, the transaction goes on: what was found over stays so.
func (b *Box) Use(ctx context.Context, tx *sql.Tx, id, action string, now time.Time) (refused, err error) {
	mark, err := b.tick(ctx, tx, now)
	if err != nil {
		return nil, err
	}
	refused, err = one(tx.ExecContext(ctx, `
		UPDATE tickets SET state = 'consumed', action = ?, ended = ?, shown = ''
		WHERE id = ? AND state = 'approved'`, action, now.UnixNano(), id))
	if refused == nil || err != nil {
		return nil, err
	}
	var stands bool
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM consents WHERE id = ? AND expires > ? AND ends > ?)", id, now.UnixNano(), mark).Scan(&stands)
	if stands {
		refused = nil
	}
	return refused, err
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
func (b *Box) Expire(ctx context.Context, now time.Time) error {
	due, err := b.due(ctx, now)
	if err == nil && due {
		err = b.Commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
			_, err := b.tick(ctx, tx, now)
			return err
		})
	}
	return b.Explain("expiring tickets", err)
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
