package file

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mcp-gateway/audit/journal/folder"
)

// Connect returns connections to the file with these pragmas besides those that all
// have. Nothing is opened before it is used.
func Connect(path string, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": append(pragmas, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "temp_store(MEMORY)"), "_txlock": {"immediate"}}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
}

// Building are the pragmas of the connection that builds: it keeps the pages that rows
// of one batch share, and brings back to their places at once those that several batches
// changed. Rows are put in the order of several indexes, and what is read and written for
// each is pages, not rows.
func Building() []string { return []string{"cache_size(-16384)", "wal_autocheckpoint(4000)"} }

// restful is how many readings find nothing before the kept pages are given back.
const restful = 4

// Pages are those that the building connection keeps, since its last transaction. The
// zero value is that of a transaction.
type Pages struct{ idle int }

// Rest gives them back once nothing has come for a while: they are worth their memory
// only while there are new rows. It is called after each reading of the journal.
func (p *Pages) Rest(ctx context.Context, db *sql.DB) error {
	if p.idle++; p.idle != restful {
		return nil
	}
	_, err := db.ExecContext(ctx, "PRAGMA shrink_memory")
	return err
}

// Damaged says that an error means that the file is no SQLite file or a broken one.
func Damaged(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_NOTADB || e.Code()&0xff == sqlite3.SQLITE_CORRUPT)
}

// Remove deletes the file, folder.ErrLocked while another process builds it.
func Remove(path string) error {
	l, err := folder.TryLock(path + ".lock")
	if err != nil {
		return err
	}
	defer l.Unlock()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Size returns how many bytes it takes on disk.
func Size(path string) (int64, error) {
	var total int64
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		if err == nil {
			total += info.Size()
		}
	}
	return total, nil
}
