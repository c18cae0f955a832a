package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What a file can suffer from. It is left as it is; the remedy is a person's.
var (
	// ErrCorrupt: the file is damaged or no SQLite database. Move it away to
	// start with an empty one; what it held is observed anew.
	ErrCorrupt = errors.New("the state database is damaged or is no SQLite database; move it away to begin a new one")
	// ErrNewer: a newer program has written the file.
	ErrNewer = errors.New("the state database was written by a newer version of this program; upgrade, or use another state directory")
	// ErrForeign: a SQLite database, but of another program.
	ErrForeign = errors.New("the file is the database of another program; use another state directory")
	// ErrBusy: another process held the database for longer than one may wait.
	ErrBusy = errors.New("another process is holding the state database")
)

// explain names the sentinel for what SQLite reported, keeping the cause.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var s *sqlite.Error
	if errors.As(err, &s) && !known(err) {
		switch s.Code() & 0xff { // the primary code, without the extension
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			err = fmt.Errorf("%w (%w)", ErrCorrupt, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			err = fmt.Errorf("%w (%w)", ErrBusy, err)
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// known says whether the cause has its name already.
func known(err error) bool { return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrBusy) }
