package index

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-gateway/audit/index/file"
	"mcp-gateway/audit/journal/folder"
)

//go:embed schema.sql
var schema string

// Version is kept in the file; an index of another one is built anew.
const Version = 8

const (
	buildEvery = 250 * time.Millisecond // Run looks for new events this often
	pollEvery  = 20 * time.Millisecond  // a waiting query looks at the builder this often
)

// Index is an open index. It is safe for concurrent use.
type Index struct {
	path    string
	journal string
	db      *sql.DB // asks
	writer  *sql.DB // builds: one connection, with a cache of its own

	mu    sync.Mutex // one pass over the journal at a time in this process
	owner *folder.Lock
	build *builder
}

// Open opens the index at path over the journal folder, and makes it when it is
// missing, damaged or of another version.
func Open(path, journalDir string) (*Index, error) {
	db, err := open(path)
	if file.Damaged(err) {
		if err := file.Remove(path); err != nil {
			return nil, err
		}
		db, err = open(path)
	}
	if err != nil {
		return nil, err
	}
	writer, err := file.Connect(path, file.Building()...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	writer.SetMaxOpenConns(1)
	return &Index{path: path, journal: journalDir, db: db, writer: writer, build: &builder{db: writer, journal: journalDir}}, nil
}

func open(path string) (*sql.DB, error) {
	db, err := file.Connect(path)
	if err != nil {
		return nil, err
	}
	if err = prepare(db); err != nil {
		return nil, errors.Join(fmt.Errorf("index %s: %w", path, err), db.Close())
	}
	return db, nil
}

// prepare makes the tables, unless they are there in this version.
func prepare(db *sql.DB) error {
	if v, err := version(db.QueryRow); v == Version || err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Asked again now that no other process can write.
	if v, err := version(tx.QueryRow); v == Version || err != nil {
		return err
	}
	return makeTables(tx)
}

func version(query func(string, ...any) *sql.Row) (v int, err error) {
	err = query("PRAGMA user_version").Scan(&v)
	return v, err
}

// reset empties the index. Only the elected process may.
func reset(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return makeTables(tx)
}

// makeTables makes the tables anew and commits.
func makeTables(tx *sql.Tx) error {
	for _, statement := range []string{
		"DROP VIEW IF EXISTS events", "DROP TABLE IF EXISTS event", "DROP TABLE IF EXISTS writer", "DROP TABLE IF EXISTS word",
		schema, fmt.Sprintf("PRAGMA user_version = %d", Version),
	} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Run builds the index behind the journal until ctx ends, whenever this process
// holds the election. It returns the first error that is not one of waiting;
// the caller may run it again.
func (x *Index) Run(ctx context.Context) error {
	tick := time.NewTicker(buildEvery)
	defer tick.Stop()
	defer x.resign()
	for {
		if _, err := x.pass(ctx, true); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// CatchUp returns once the index holds everything that stood in the journal when
// it was called: it builds what is missing, or waits for the process that does.
func (x *Index) CatchUp(ctx context.Context) error {
	known, err := readProgress(ctx, x.db)
	if err != nil {
		return err
	}
	ends, err := folder.Ends(x.journal, known.done)
	if err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if elected, err := x.pass(ctx, false); elected || err != nil {
			return err
		}
		if known, err = readProgress(ctx, x.db); err != nil || known.cursor.Reached(ends) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pass reads the journal to its end if this process is or can be elected, and
// keeps the election if keep is set. elected is false if another has it, or if
// another pass of this process is under way.
func (x *Index) pass(ctx context.Context, keep bool) (elected bool, err error) {
	if !x.mu.TryLock() {
		return false, nil // another pass is under way; the caller's context must hold
	}
	defer x.mu.Unlock()
	if x.owner == nil {
		l, err := folder.TryLock(x.path + ".lock")
		if errors.Is(err, folder.ErrLocked) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !keep {
			defer l.Unlock()
		} else {
			x.owner = l
		}
		x.build.forget() // another may have built in the meantime
	}
	return true, x.build.run(ctx)
}

// ErrBusy says that another process builds the index.
var ErrBusy = errors.New("index: another process builds it")

// Tell has every reading of the journal tell how many bytes of how many it has
// read. It is called before the index is asked for the first time.
func (x *Index) Tell(progress func(read, total uint64)) { x.build.tell = progress }

// Rebuild empties the index and builds it from the journal. It is ErrBusy while
// another process builds it.
func (x *Index) Rebuild(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.owner == nil {
		l, err := folder.TryLock(x.path + ".lock")
		if errors.Is(err, folder.ErrLocked) {
			return ErrBusy
		}
		if err != nil {
			return err
		}
		defer l.Unlock()
	}
	x.build.forget()
	if err := reset(ctx, x.writer); err != nil {
		return err
	}
	return x.build.run(ctx)
}

func (x *Index) resign() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.owner != nil {
		x.owner.Unlock()
		x.owner = nil
	}
}

// Size returns how many bytes the index takes on disk.
func (x *Index) Size() (int64, error) { return file.Size(x.path) }

// Close closes the index and gives up the election.
func (x *Index) Close() error {
	x.resign()
	return errors.Join(x.writer.Close(), x.db.Close())
}
