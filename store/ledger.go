package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/receipt"
)

var _ receipt.Ledger = (*Store)(nil)

// Begin implements receipt.Ledger.
func (s *Store) Begin(ctx context.Context, e *receipt.Entry) (*receipt.Entry, error) {
	var holder *receipt.Entry
	var refused error
	err := s.commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		if e.Scope != nil {
			if holder, err = entry(tx.QueryRowContext(ctx, selectActions+"WHERE scope = ?", e.Scope[:])); err != nil || holder != nil {
				return err
			}
		}
		if refused, err = s.useTicket(ctx, tx, e, e.Began); refused != nil || err != nil {
			return err
		}
		return insertAction(ctx, tx, e)
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, explain("entering an action", err)
	}
	return holder, nil
}

// useTicket uses up the approval of an action's attempt, if it has one.
func (s *Store) useTicket(ctx context.Context, tx *sql.Tx, e *receipt.Entry, now time.Time) (refused, err error) {
	if e.Approval == "" {
		return nil, nil
	}
	if refused, err = s.Use(ctx, tx, e.Approval, e.Action, now); refused != nil {
		refused = receipt.ErrTicket
	}
	return refused, err
}

func insertAction(ctx context.Context, tx *sql.Tx, e *receipt.Entry) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO actions (action, attempt, scope, source, sealed, salt, arguments, upstream, tool, principal, tenant,
			state, writer, approval, draft, began, settled)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
		e.Action, e.Attempt, scopeOf(e), string(e.Source), e.Sealed, e.Salt[:], string(e.Arguments), e.Item.Upstream, e.Item.Name,
		e.Principal, e.Tenant, string(e.State), e.Writer, e.Approval, nonNil(e.Draft), e.Began.UnixNano())
	return err
}

func scopeOf(e *receipt.Entry) any {
	if e.Scope == nil {
		return nil
	}
	return e.Scope[:]
}

// Resume implements receipt.Ledger.
func (s *Store) Resume(ctx context.Context, e *receipt.Entry, from gateway.Outcome, now time.Time) error {
	var refused error
	failed := s.commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		var before string
		err := tx.QueryRowContext(ctx, "SELECT approval FROM actions WHERE action = ? AND state = ? AND attempt = ?",
			e.Action, string(from), e.Attempt-1).Scan(&before)
		if errors.Is(err, sql.ErrNoRows) {
			return receipt.ErrRaced
		}
		if err == nil && !(from == gateway.OutcomeAwaiting && e.Approval == before) {
			refused, err = s.useTicket(ctx, tx, e, now)
		}
		if refused != nil || err != nil {
			return err
		}
		return one(tx.ExecContext(ctx, `
			UPDATE actions SET state = ?, attempt = ?, writer = ?, draft = ?, approval = ?, settled = 0 WHERE action = ?`,
			string(gateway.OutcomeInFlight), e.Attempt, e.Writer, nonNil(e.Draft), e.Approval, e.Action))
	})
	if failed == nil {
		failed = refused
	}
	return explain("resuming an action", failed)
}

// Settle implements receipt.Ledger. It is written, and not synced: what a power
// cut takes away of it, the journal knows.
func (s *Store) Settle(ctx context.Context, t *receipt.Settlement) error {
	return explain("settling an action", s.commit(ctx, t.Source != "", func(ctx context.Context, tx *sql.Tx) error {
		scope := "scope"
		if t.Frees {
			scope = "NULL"
		}
		err := one(tx.ExecContext(ctx, `
			UPDATE actions SET state = ?, settled = ?, code = ?, external_id = ?, result = ?, decided = ?, finished = ?,
				told_by = ?, decided_by = ?, why = ?, scope = `+scope+`
			WHERE action = ? AND attempt = ? AND state = ? AND (? OR external_id = '')`,
			string(t.State), t.At.UnixNano(), string(t.Code), t.ExternalID, t.Result, refText(t.Decided), refText(t.Finished),
			string(t.Source), t.By, t.Why, t.Action, t.Attempt, string(t.From), t.From != t.State))
		if err != nil || t.Receipt.Envelope == nil {
			return err
		}
		r := &t.Receipt
		_, err = tx.ExecContext(ctx, `INSERT INTO receipts (action, at, outcome, digest, envelope) VALUES (?, ?, ?, ?, ?)`,
			r.Action, r.At.UnixNano(), string(r.Outcome), string(r.Digest), r.Envelope)
		return err
	}))
}

// one makes a change of no row ErrRaced.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n == 1 || err != nil {
		return err
	}
	return receipt.ErrRaced
}

const selectActions = `SELECT action, attempt, scope, source, sealed, salt, arguments, upstream, tool, principal, tenant,
	state, writer, approval, draft, began, settled, code, external_id, result, decided, finished, told_by, decided_by, why FROM actions `

// Action implements receipt.Ledger.
func (s *Store) Action(ctx context.Context, action string) (*receipt.Entry, error) {
	e, err := entry(s.read.QueryRowContext(ctx, selectActions+"WHERE action = ?", action))
	if err == nil && e == nil {
		err = receipt.ErrNoAction
	}
	return e, explain("reading an action", err)
}

// Holder implements receipt.Ledger.
func (s *Store) Holder(ctx context.Context, scope receipt.Scope) (*receipt.Entry, error) {
	e, err := entry(s.read.QueryRowContext(ctx, selectActions+"WHERE scope = ?", scope[:]))
	return e, explain("reading the holder of a key", err)
}

// nameless is what the index of that name holds.
const nameless = " AND told_by = 'journal' AND external_id = '' AND state IN ('committed', 'accepted', 'partial')"

// Actions implements receipt.Ledger.
func (s *Store) Actions(ctx context.Context, f receipt.Filter) ([]receipt.Entry, error) {
	query, args := selectActions+"WHERE 1", []any{}
	if len(f.States) > 0 {
		query += " AND state IN (?" + strings.Repeat(", ?", len(f.States)-1) + ")"
		for _, state := range f.States {
			args = append(args, string(state))
		}
	}
	if f.Writer != "" {
		query, args = query+" AND writer = ?", append(args, f.Writer)
	}
	if f.Nameless {
		query += nameless
	}
	if f.Limit <= 0 {
		f.Limit = 100
	}
	var all []receipt.Entry
	err := each(ctx, s.read, func(scan func(...any) error) error {
		e, err := scanEntry(scan)
		if err == nil {
			all = append(all, *e)
		}
		return err
	}, query+" ORDER BY began DESC, action DESC LIMIT ?", append(args, f.Limit)...)
	return all, explain("reading actions", err)
}

func entry(row *sql.Row) (*receipt.Entry, error) {
	e, err := scanEntry(row.Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return e, err
}

func scanEntry(scan func(...any) error) (*receipt.Entry, error) {
	var e receipt.Entry
	var scope, salt []byte
	var source, arguments, state, code, decided, finished string
	var began, settled int64
	err := scan(&e.Action, &e.Attempt, &scope, &source, &e.Sealed, &salt, &arguments, &e.Item.Upstream, &e.Item.Name, &e.Principal, &e.Tenant,
		&state, &e.Writer, &e.Approval, &e.Draft, &began, &settled, &code, &e.ExternalID, &e.Result, &decided, &finished, &e.Told, &e.By, &e.Why)
	if err != nil {
		return nil, err
	}
	if len(scope) == len(receipt.Scope{}) {
		e.Scope = (*receipt.Scope)(scope)
	}
	copy(e.Salt[:], salt)
	e.Source, e.Arguments, e.State, e.Code = receipt.KeySource(source), gateway.Digest(arguments), gateway.Outcome(state), gateway.Code(code)
	e.Decided, e.Finished = parseRef(decided), parseRef(finished)
	if e.Began = instant(began); settled > 0 {
		e.Settled = instant(settled)
	}
	return &e, nil
}

// Receipts implements receipt.Ledger.
func (s *Store) Receipts(ctx context.Context, action string, limit int) ([]receipt.Kept, error) {
	var all []receipt.Kept
	err := each(ctx, s.read, func(scan func(...any) error) error {
		var k receipt.Kept
		var at int64
		var outcome, digest string
		if err := scan(&k.Action, &at, &outcome, &digest, &k.Envelope); err != nil {
			return err
		}
		k.At, k.Outcome, k.Digest = instant(at), gateway.Outcome(outcome), gateway.Digest(digest)
		all = append(all, k)
		return nil
	}, `SELECT action, at, outcome, digest, envelope FROM receipts WHERE ?1 = '' OR action = ?1 ORDER BY id DESC LIMIT ?2`, action, limit)
	return all, explain("reading receipts", err)
}

// Forget implements receipt.Ledger.
func (s *Store) Forget(ctx context.Context, before time.Time) (n int, err error) {
	err = s.commit(ctx, false, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `
			UPDATE actions SET scope = NULL, sealed = '', result = ''
			WHERE scope IS NOT NULL AND settled > 0 AND settled < ? AND state IN (?, ?, ?, ?)`,
			before.UnixNano(), string(gateway.OutcomeCommitted), string(gateway.OutcomeAccepted),
			string(gateway.OutcomePartial), string(gateway.OutcomeFailed))
		if err != nil {
			return err
		}
		changed, err := result.RowsAffected()
		n = int(changed)
		return err
	})
	return n, explain("forgetting keys", err)
}

// refText and parseRef keep a place in the journal as one text; "" = none.
func refText(r receipt.EventRef) string {
	if r.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s %d %d %s", r.Replica, r.Boot, r.Seq, r.Hash)
}

func parseRef(text string) (r receipt.EventRef) {
	if text != "" {
		_, _ = fmt.Sscanf(text, "%s %d %d %s", &r.Replica, &r.Boot, &r.Seq, &r.Hash) // ours: it has its shape
	}
	return r
}
