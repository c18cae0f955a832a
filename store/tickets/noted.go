package tickets

import (
	"context"
	"database/sql"
	"time"

	"mcp-gateway/approval"
)

// mostUnnoted bounds what is held against the record at once.
const mostUnnoted = 100

// Unnoted implements approval.Tickets.
func (b *Box) Unnoted(ctx context.Context, before time.Time) ([]approval.Ticket, error) {
	var all []approval.Ticket
	err := b.each(ctx, func(scan func(...any) error) error {
		t, err := scanTicket(scan)
		if err == nil {
			all = append(all, *t)
		}
		return err
	}, selectTickets+"WHERE noted = 0 AND state <> 'pending' AND (state = 'expired' OR decided < ?) ORDER BY decided, id LIMIT ?", before.UnixNano(), mostUnnoted)
	return all, b.Explain("reading tickets", err)
}

// Noted implements approval.Tickets.
func (b *Box) Noted(ctx context.Context, t *approval.Ticket) error {
	return b.Explain("noting a ticket", b.Commit(ctx, false, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE tickets SET noted = 1 WHERE id = ? AND state = ?", t.ID, string(t.State))
		return err
	}))
}
