package details

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"mcp-gateway/audit"
	"mcp-gateway/audit/detail"
)

// Name is the file's name inside the state directory.
const Name = "details.db"

const table = `CREATE TABLE IF NOT EXISTS detail (
	action  BLOB PRIMARY KEY,
	expires INTEGER NOT NULL, -- seconds since 1970
	sealed  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS detail_expires ON detail (expires);`

// DB is an open database of kept arguments. It is safe for concurrent use, and by
// several processes.
type DB struct{ db *sql.DB }

var _ detail.Store = (*DB)(nil)

// Open opens the database at path, and makes it (mode 0600) where there is none. What
// is deleted in it is overwritten.
func Open(ctx context.Context, path string) (*DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("details: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, fmt.Errorf("details: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("details: %w", err)
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "secure_delete(1)", "synchronous(NORMAL)", "temp_store(MEMORY)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("details: %w", err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, table); err != nil {
		return nil, errors.Join(fmt.Errorf("details %s: %w", path, err), db.Close())
	}
	return &DB{db}, nil
}

// Keep implements detail.Store: all of them, or none.
func (d *DB) Keep(ctx context.Context, all []detail.Kept) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("details: %w", err)
	}
	defer tx.Rollback() // does nothing after Commit
	for _, k := range all {
		_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO detail (action, expires, sealed) VALUES (?, ?, ?)", k.Action[:], k.Expires.Unix(), k.Sealed)
		if err != nil {
			return fmt.Errorf("details: %w", err)
		}
	}
	return tx.Commit()
}

// Get implements detail.Store.
func (d *DB) Get(ctx context.Context, action audit.ID) (detail.Kept, error) {
	k, expires := detail.Kept{Action: action}, int64(0)
	err := d.db.QueryRowContext(ctx, "SELECT expires, sealed FROM detail WHERE action = ?", action[:]).Scan(&expires, &k.Sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return k, detail.ErrNone
	}
	k.Expires = time.Unix(expires, 0)
	return k, err
}

// Sweep implements detail.Store.
func (d *DB) Sweep(ctx context.Context, now time.Time) (int64, error) {
	done, err := d.db.ExecContext(ctx, "DELETE FROM detail WHERE expires <= ?", now.Unix())
	if err != nil {
		return 0, fmt.Errorf("details: %w", err)
	}
	return done.RowsAffected()
}

// Close closes the database.
func (d *DB) Close() error { return d.db.Close() }
