package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

const (
	// keepUnapproved bounds what an upstream that lists new definitions
	// endlessly can fill the disk with. Beyond it those go that were not seen
	// for the longest time; an approved one never goes.
	keepUnapproved = 64 << 20
	overhead       = 512      // bytes that a row takes beside its definition, about
	mostClaimed    = 256      // bytes kept of what a server says of itself
	mostDeclared   = 64 << 10 // bytes of its capabilities, and of its instructions
)

// Observe implements registry.History, all of it or nothing.
func (s *Store) Observe(ctx context.Context, at time.Time, seen []registry.Seen) error {
	return explain("observing definitions", s.inTx(ctx, func(tx *sql.Tx) error {
		o, err := newObserver(ctx, tx)
		if err != nil {
			return err
		}
		defer o.close()
		fresh := map[string]bool{}
		for i := range seen {
			added, err := o.observe(ctx, at.UnixNano(), &seen[i])
			if err != nil {
				return err
			}
			if added {
				fresh[seen[i].ID.Upstream] = true
			}
		}
		for upstream := range fresh {
			if err := s.prune(ctx, tx, upstream); err != nil {
				return err
			}
		}
		return nil
	}))
}

// observer notes definitions within one transaction. Its statements are compiled once:
// that costs more than to run them.
type observer struct{ again, first *sql.Stmt }

func newObserver(ctx context.Context, tx *sql.Tx) (o observer, err error) {
	o.again, err = tx.PrepareContext(ctx, `
		UPDATE definitions SET
			state      = CASE WHEN ?1 >= last_seen THEN ?2 ELSE state END,
			reasons    = CASE WHEN ?1 >= last_seen THEN ?3 ELSE reasons END,
			first_seen = min(first_seen, ?1),
			last_seen  = max(last_seen, ?1)
		WHERE upstream = ?4 AND kind = ?5 AND name = ?6 AND digest = ?7`)
	if err != nil {
		return o, err
	}
	o.first, err = tx.PrepareContext(ctx, `
		INSERT INTO definitions (upstream, kind, name, digest, raw, state, reasons, first_seen, last_seen)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		o.close()
	}
	return o, err
}

// close lets go of the statements; what they did stands.
func (o *observer) close() {
	_ = o.again.Close()
	if o.first != nil {
		_ = o.first.Close()
	}
}

// observe notes one definition and says whether it was new. Of two processes
// the later observation counts, whichever is written first.
func (o *observer) observe(ctx context.Context, at int64, d *registry.Seen) (added bool, err error) {
	reasons := joinReasons(d.Reasons)
	res, err := o.again.ExecContext(ctx, at, string(d.State), reasons, d.ID.Upstream, string(d.ID.Kind), d.ID.Name, string(d.Digest))
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); n > 0 || err != nil {
		return false, err
	}
	_, err = o.first.ExecContext(ctx,
		d.ID.Upstream, string(d.ID.Kind), d.ID.Name, string(d.Digest), nonNil(d.Raw), string(d.State), reasons, at, at)
	return true, err
}

// prune keeps the newest unapproved definitions of an upstream.
func (s *Store) prune(ctx context.Context, tx *sql.Tx, upstream string) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM definitions WHERE id IN (
			SELECT id FROM (
				SELECT id, sum(length(raw) + ?) OVER (ORDER BY last_seen DESC, id DESC) AS total
				FROM definitions WHERE upstream = ? AND state NOT IN (?, ?, ?))
			WHERE total > ?)`,
		overhead, upstream, string(gateway.StateApproved), string(gateway.StateDeprecated), string(gateway.StateRetired), s.keep)
	return err
}

// Definitions implements registry.History.
func (s *Store) Definitions(ctx context.Context, upstream string) ([]registry.Seen, error) {
	var all []registry.Seen
	err := each(ctx, s.read, func(scan func(...any) error) error {
		var d registry.Seen
		var kind, digest, state, reasons string
		var first, last int64
		if err := scan(&d.ID.Upstream, &kind, &d.ID.Name, &digest, &d.Raw, &state, &reasons, &first, &last); err != nil {
			return err
		}
		d.ID.Kind = gateway.Kind(kind)
		d.Digest, d.State = gateway.Digest(digest), gateway.ExposureState(state)
		d.Reasons, d.First, d.Last = splitReasons(reasons), instant(first), instant(last)
		all = append(all, d)
		return nil
	}, `SELECT upstream, kind, name, digest, raw, state, reasons, first_seen, last_seen FROM definitions
		WHERE ?1 = '' OR upstream = ?1 ORDER BY kind, upstream, name, first_seen, id`, upstream)
	return all, explain("reading definitions", err)
}

// SetUpstream implements registry.History.
func (s *Store) SetUpstream(ctx context.Context, f registry.UpstreamFact) error {
	return explain("noting an upstream", s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO upstreams (id, era, revision, up, reason, at, claimed_name, claimed_version, capabilities, instructions, confined)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET
				era = excluded.era, revision = excluded.revision, up = excluded.up, reason = excluded.reason,
				at = excluded.at, claimed_name = excluded.claimed_name, claimed_version = excluded.claimed_version,
				capabilities = excluded.capabilities, instructions = excluded.instructions,
				confined = excluded.confined
			WHERE excluded.at >= at`,
			f.ID, f.Era, f.Revision, f.Up, f.Reason, f.At.UnixNano(), clip(f.ClaimedName), clip(f.ClaimedVersion),
			whole(f.Capabilities), whole(f.Instructions), clip(f.Confined))
		return err
	}))
}

const selectUpstreams = `SELECT id, era, revision, up, reason, at, claimed_name, claimed_version, capabilities, instructions, confined FROM upstreams `

// Upstream implements registry.History.
func (s *Store) Upstream(ctx context.Context, id string) (registry.UpstreamFact, bool, error) {
	f, err := scanUpstream(s.read.QueryRowContext(ctx, selectUpstreams+"WHERE id = ?", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return registry.UpstreamFact{}, false, nil
	}
	return f, err == nil, explain("reading an upstream", err)
}

// Upstreams implements registry.History.
func (s *Store) Upstreams(ctx context.Context) ([]registry.UpstreamFact, error) {
	var all []registry.UpstreamFact
	err := each(ctx, s.read, func(scan func(...any) error) error {
		f, err := scanUpstream(scan)
		all = append(all, f)
		return err
	}, selectUpstreams+"ORDER BY id")
	return all, explain("reading upstreams", err)
}

func scanUpstream(scan func(...any) error) (f registry.UpstreamFact, err error) {
	var at int64
	err = scan(&f.ID, &f.Era, &f.Revision, &f.Up, &f.Reason, &at, &f.ClaimedName, &f.ClaimedVersion, &f.Capabilities, &f.Instructions, &f.Confined)
	f.At = instant(at)
	return f, err
}

// inTx runs do in a transaction that holds the write lock from the start.
func (s *Store) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	var tx *sql.Tx
	err := patiently(ctx, func() (err error) {
		tx, err = s.write.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// each calls row for every row of a query.
func each(ctx context.Context, db *sql.DB, row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
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

func joinReasons(reasons []gateway.Reason) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

func splitReasons(s string) []gateway.Reason {
	var reasons []gateway.Reason
	for word := range strings.FieldsSeq(s) {
		reasons = append(reasons, gateway.Reason(word))
	}
	return reasons
}

func instant(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }

// nonNil keeps an empty definition from being stored as NULL.
func nonNil(raw []byte) []byte {
	if raw == nil {
		return []byte{}
	}
	return raw
}

// whole keeps a JSON text that a server declared, or nothing of one that is too
// long: half a text is none.
func whole(text string) string {
	if len(text) > mostDeclared {
		return ""
	}
	return text
}

// clip bounds what a server claims about itself.
func clip(s string) string {
	if len(s) <= mostClaimed {
		return s
	}
	return strings.ToValidUTF8(s[:mostClaimed], "")
}
