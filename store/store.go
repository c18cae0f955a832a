package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"mcp-gateway/registry"
	"mcp-gateway/store/tickets"
)

// Name is the file's name inside the state directory.
const Name = "state.db"

const (
	patience    = 5 * time.Second        // for another process's transaction
	retryEvery  = 10 * time.Millisecond  // between attempts of ours
	busyTimeout = 100 * time.Millisecond // within SQLite, for one attempt
	readers     = 4
)

// fileMagic begins every SQLite database (sqlite.org/fileformat2.html, 1.3.1).
const fileMagic = "SQLite format 3\x00"

// Store is an open state database. It is safe for concurrent use.
type Store struct {
	write *sql.DB // one connection: writers of this process queue here, not in SQLite
	read  *sql.DB
	keep  int64 // bytes that unapproved definitions of one upstream may take

	commits *committer
	*tickets.Box
}

var _ registry.History = (*Store)(nil)

// Open opens the database at path, making it (mode 0600) if there is none and
// bringing an older one to the newest version. A file that is not ours, damaged
// or of a newer version is left untouched: ErrForeign, ErrCorrupt, ErrNewer.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := prepare(path); err != nil {
		return nil, fmt.Errorf("opening the state database %s: %w", path, err)
	}
	s := &Store{keep: keepUnapproved}
	var err error
	if s.write, err = sql.Open("sqlite", dsn(path, "")); err != nil {
		return nil, explain("opening "+path, err)
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite", dsn(path, "query_only(1)")); err != nil {
		return nil, explain("opening "+path, errors.Join(err, s.Close()))
	}
	s.read.SetMaxOpenConns(readers)
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(explain("opening "+path, err), s.Close())
	}
	s.commits = startCommitter(s)
	s.Box = &tickets.Box{Read: s.read, Commit: s.commit, Explain: explain}
	return s, nil
}

// begin looks before it writes. The write-ahead log lets readers go on while
// another process writes; the switch to it stays with the file.
func (s *Store) begin(ctx context.Context) error {
	if err := patiently(ctx, func() error { _, err := inspect(ctx, s.write); return err }); err != nil {
		return err
	}
	if err := patiently(ctx, func() error { return migrate(ctx, s.write) }); err != nil {
		return err
	}
	return patiently(ctx, func() error {
		var mode string
		err := s.write.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("%w: the journal mode stays %q", ErrBusy, mode)
		}
		return err
	})
}

// patiently repeats try for as long as another process is in the way, at most
// for patience and no longer than the context. SQLite could wait by itself, but
// then it would not notice that the context ended, and in some cases it does
// not wait at all.
func patiently(ctx context.Context, try func() error) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	for {
		err := explain("waiting for the lock", try())
		if err == nil || !errors.Is(err, ErrBusy) {
			return err
		}
		select {
		case <-tick.C:
		case <-waiting.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// Check reads the whole database and reports damage as ErrCorrupt.
func (s *Store) Check(ctx context.Context) error {
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return explain("checking", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("checking: %w (%s)", ErrCorrupt, verdict)
	}
	return nil
}

// Close waits for what is being written.
func (s *Store) Close() error {
	var err error
	if s.commits != nil {
		s.commits.close()
	}
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// prepare makes the file if there is none, so that it never exists with wider
// permissions than it should have; SQLite gives its log files the same. It
// looks at the first bytes itself, because SQLite takes a file of less than a
// header for an empty one and writes over it.
func prepare(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	magic := make([]byte, len(fileMagic))
	if n, err := io.ReadFull(f, magic); n > 0 && string(magic) != fileMagic {
		return ErrCorrupt
	} else if n == 0 && err != io.EOF {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}

// dsn names the file as a URI, so that no character of the path means anything
// else. Transactions take the write lock when they begin, since one that takes
// it later can fail instead of waiting.
func dsn(path, pragma string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())}}
	if pragma != "" {
		q.Add("_pragma", pragma)
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}
