package failclosed

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite"

	"mcp-gateway/gateway"
	"mcp-gateway/store"
	"mcp-gateway/test/stage"
)

const (
	state   = "var/state.db"
	noEntry = gateway.CodeReceiptUnavailable
)

// unentered holds that while the ledger's files are broken no write is sent, and
// that reads are served and what was entered before stays.
func unentered(t *testing.T, with func(*testing.T, *ground) int) *ground {
	t.Helper()
	g := open(t, "")
	g.served(t, writing)
	mend := g.breakFiles(t, "/"+state, with(t, g))
	g.denied(t, writing, `{}`, noEntry)
	g.served(t, reading, healthy)
	mend()
	kept, err := store.Open(t.Context(), g.Path(state))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if err := kept.Check(t.Context()); err != nil {
		t.Error(err)
	}
	return g
}

func ledgerCells() []cell {
	return []cell{
		{"absent at start", refuses, "Where the state database can't be made, nothing is served; one that is not there yet is made.", func(t *testing.T) {
			s := build(t, "")
			s.write(t, state+"/file", "a folder where the database should be")
			s.refused(t, "state.db")
		}},
		{"fails while running", denies, "No entry, no write: `receipt_unavailable`, until an entry succeeds again; reads need none.", func(t *testing.T) {
			g := unentered(t, func(t *testing.T, g *ground) int { return readOnly(t, g.Path(state)) })
			stage.Await(t, "writes are served again", func() bool { return g.alice.Call(t, writing, `{}`).Code() == "" })
		}},
		{"slow", denies, "An entry that is not made in its time stops its write: `receipt_unavailable`; reads need none.", func(t *testing.T) {
			t.Parallel()
			g := open(t, "")
			g.served(t, writing)
			release := hold(t, g.Path(state))
			g.denied(t, writing, `{}`, noEntry)
			g.served(t, reading, healthy)
			release()
			g.served(t, writing)
		}},
		{"wrong data", refuses, "A database that is none, of another program or of a later version is not replaced and not read.", func(t *testing.T) {
			for mark, what := range map[string]string{"PRAGMA application_id = 7": "another program", "PRAGMA user_version = 999": "newer"} {
				s := build(t, "")
				s.lived(t, nil)
				edit(t, s.path(state), mark)
				s.refused(t, what)
			}
		}},
		{"full", denies, "No entry, no write; what was entered before stays.", func(t *testing.T) {
			unentered(t, func(t *testing.T, _ *ground) int { return full(t) })
		}},
	}
}

// readOnly is the same file, by another name, opened so that nobody can write.
func readOnly(t *testing.T, path string) int {
	t.Helper()
	name := filepath.Join(t.TempDir(), "linked")
	if err := os.Link(path, name); err != nil {
		t.Fatal(err)
	}
	return descriptor(t, name, unix.O_RDONLY)
}

// edit changes a database that nobody else has open.
func edit(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// hold keeps everyone else from writing to a database until it is released.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}
