package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"mcp-gateway/auth/handle"
)

var _ handle.Store = (*Store)(nil)

// sweep is how many handles, long over, are let go of whenever others are bound.
const sweep = 1000

// Bind implements handle.Store.
func (s *Store) Bind(ctx context.Context, now time.Time, bound []handle.Bound) error {
	err := s.commit(ctx, true, func(ctx context.Context, tx *sql.Tx) error {
		for _, b := range bound {
			_, err := tx.ExecContext(ctx, `INSERT INTO handles (key, holder, until) VALUES (?, ?, ?)
				ON CONFLICT (key, holder) DO UPDATE SET until = max(until, excluded.until)`, b.Key, b.Holder, b.Until.UnixNano())
			if err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM handles WHERE (key, holder) IN (SELECT key, holder FROM handles WHERE until < ? LIMIT ?)`,
			now.Add(-handle.Linger).UnixNano(), sweep)
		return err
	})
	return explain("binding handles", err)
}

// asked is how many handles one query asks for.
const asked = 500

// Holders implements handle.Store.
func (s *Store) Holders(ctx context.Context, keys []string) ([]handle.Bound, error) {
	var out []handle.Bound
	for len(keys) > 0 {
		some := keys[:min(len(keys), asked)]
		keys = keys[len(some):]
		found, err := s.holders(ctx, some)
		if err != nil {
			return nil, explain("looking up handles", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func (s *Store) holders(ctx context.Context, keys []string) (out []handle.Bound, err error) {
	args := make([]any, len(keys))
	for i, k := range keys {
		args[i] = k
	}
	rows, err := s.read.QueryContext(ctx, "SELECT key, holder, until FROM handles WHERE key IN (?"+strings.Repeat(", ?", len(keys)-1)+")", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var b handle.Bound
		var until int64
		if err := rows.Scan(&b.Key, &b.Holder, &until); err != nil {
			return nil, err
		}
		b.Until = instant(until)
		out = append(out, b)
	}
	return out, rows.Err()
}
