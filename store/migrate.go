package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
)

// applicationID marks a database as ours in its header: "mcpg" in ASCII.
const applicationID = 0x6d637067

//go:embed schema/1.sql
var version1 string

//go:embed schema/2.sql
var version2 string

//go:embed schema/confined.sql
var confined string

//go:embed schema/effects.sql
var effects string

//go:embed schema/profiles.sql
var profiles string

//go:embed schema/consents.sql
var consents string

//go:embed schema/handles.sql
var handles string

//go:embed schema/terms.sql
var terms string

//go:embed schema/clock.sql
var clock string

//go:embed schema/nameless.sql
var unnamed string

//go:embed schema/noted.sql
var noted string

// migrations lead from one version (PRAGMA user_version) to the next. One that
// has been released is never edited.
func migrations() []string {
	return []string{version1, version2, confined, effects, profiles, consents, handles, terms, clock, unnamed, noted}
}

// inspect says which version a database has, without writing to it: 0 is an
// empty one. It fails if the database is not ours or too new.
func inspect(ctx context.Context, q queryer) (version int, err error) {
	var owner, objects int
	for _, ask := range []struct {
		query string
		into  *int
	}{
		{"PRAGMA application_id", &owner},
		{"PRAGMA user_version", &version},
		{"SELECT count(*) FROM sqlite_schema", &objects},
	} {
		if err := q.QueryRowContext(ctx, ask.query).Scan(ask.into); err != nil {
			return 0, err
		}
	}
	switch {
	case objects == 0 && version == 0 && owner == 0:
		return 0, nil
	case owner != applicationID:
		return 0, ErrForeign
	case version > len(migrations()):
		return 0, fmt.Errorf("%w: version %d, this program knows %d", ErrNewer, version, len(migrations()))
	}
	return version, nil
}

// migrate brings a database to the newest version in one transaction. Another
// process may be doing the same.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil) // immediate: see dsn
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	version, err := inspect(ctx, tx)
	if err != nil {
		return err
	}
	all := migrations()
	for ; version < len(all); version++ {
		if _, err := tx.ExecContext(ctx, all[version]); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}

// queryer is what a database and a transaction have in common.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
