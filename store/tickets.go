package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcp-gateway/approval"
	"mcp-gateway/gateway"
)

var _ approval.Tickets = (*Store)(nil)

// Ask implements approval.Tickets.
func (s *Store) Ask(ctx context.Context, t *approval.Ticket, most int) (*approval.Ticket, error) {
	var open *approval.Ticket
	err := s.commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		b := &t.Binding
		now := t.Created.UnixNano()
		if _, err := tx.ExecContext(ctx, expireTickets, now, now); err != nil {
			return err
		}
		found, err := scanTicket(tx.QueryRowContext(ctx, selectTickets+"WHERE binding = ? AND state IN ('pending', 'approved')", b.Digest()).Scan)
		if !errors.Is(err, sql.ErrNoRows) {
			open = found
			return err
		}
		var pending int
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM tickets WHERE state = 'pending' AND issuer = ? AND subject = ? AND tenant = ? AND client = ?",
			b.Issuer, b.Subject, b.Tenant, b.Client).Scan(&pending)
		if err != nil {
			return err
		}
		if pending >= most {
			return approval.ErrTooMany
		}
		open = t
		_, err = tx.ExecContext(ctx, `
			INSERT INTO tickets (id, state, binding, issuer, subject, tenant, client, upstream, tool, definition, arguments, shown, created, expires)
			VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t.ID, b.Digest(), b.Issuer, b.Subject, b.Tenant, b.Client, b.Upstream, b.Tool, string(b.Definition), string(b.Arguments),
			t.Shown, now, t.Expires.UnixNano())
		return err
	})
	if err != nil {
		return nil, explain("opening a ticket", err)
	}
	return open, nil
}

const expireTickets = `UPDATE tickets SET state = 'expired', ended = ?, shown = '' WHERE state IN ('pending', 'approved') AND expires <= ?`

const selectTickets = `SELECT id, state, issuer, subject, tenant, client, upstream, tool, definition, arguments, shown, created, expires,
	decided, approver, approver_groups, self, via, reason, action FROM tickets `

func scanTicket(scan func(...any) error) (*approval.Ticket, error) {
	var t approval.Ticket
	var state, definition, arguments, groups string
	var created, expires, decided int64
	b, v := &t.Binding, &t.Verdict
	err := scan(&t.ID, &state, &b.Issuer, &b.Subject, &b.Tenant, &b.Client, &b.Upstream, &b.Tool, &definition, &arguments, &t.Shown,
		&created, &expires, &decided, &v.Approver, &groups, &v.Self, &v.Via, &v.Reason, &t.Action)
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
func (s *Store) Ticket(ctx context.Context, id string) (*approval.Ticket, error) {
	t, err := scanTicket(s.read.QueryRowContext(ctx, selectTickets+"WHERE id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = approval.ErrNoTicket
	}
	return t, explain("reading a ticket", err)
}

// Decide implements approval.Tickets.
func (s *Store) Decide(ctx context.Context, id string, v approval.Verdict) error {
	return explain("deciding a ticket", s.commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
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
		if n, err := result.RowsAffected(); n == 1 || err != nil {
			return err
		}
		return approval.ErrState
	}))
}

// Tickets implements approval.Tickets.
func (s *Store) Tickets(ctx context.Context, states []approval.State, limit int) ([]approval.Ticket, error) {
	query, args := selectTickets+"WHERE 1", []any{}
	if len(states) > 0 {
		query += " AND state IN (?" + strings.Repeat(", ?", len(states)-1) + ")"
		for _, state := range states {
			args = append(args, string(state))
		}
	}
	var all []approval.Ticket
	err := each(ctx, s.read, func(scan func(...any) error) error {
		t, err := scanTicket(scan)
		if err == nil {
			all = append(all, *t)
		}
		return err
	}, query+" ORDER BY created DESC, id DESC LIMIT ?", append(args, limit)...)
	return all, explain("reading tickets", err)
}

// Expire implements approval.Tickets.
func (s *Store) Expire(ctx context.Context, now time.Time) ([]approval.Ticket, error) {
	var over []approval.Ticket
	err := s.commit(ctx, false, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, expireTickets+` RETURNING id, state, issuer, subject, tenant, client, upstream, tool, definition, arguments,
			shown, created, expires, decided, approver, approver_groups, self, via, reason, action`, now.UnixNano(), now.UnixNano())
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
		return nil, explain("expiring tickets", err)
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
