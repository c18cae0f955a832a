package failclosed

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

const noRecord = gateway.CodeAuditUnavailable

// unrecorded holds that while the journal's files are broken no call is sent, and
// that calls are served again once they are not.
func unrecorded(t *testing.T, with func(*testing.T) int) {
	g := open(t, "")
	g.served(t, reading)
	mend := g.breakFiles(t, "/var/journal/", with(t))
	for _, tool := range []string{reading, writing} {
		g.denied(t, tool, `{}`, noRecord)
	}
	mend()
	stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
}

func journalCells() []cell {
	return []cell{
		{"absent at start", refuses, "Where the journal's folder cannot be made, nothing is served.", func(t *testing.T) {
			s := build(t, "")
			s.write(t, "var/journal", "a file where the folder should be")
			s.refused(t, "journal")
		}},
		{"fails while running", denies, "No record, no call: `audit_unavailable`, until a write succeeds again.", func(t *testing.T) { unrecorded(t, broken) }},
		{"slow", denies, "An event that is not durable within its time (2 s) stops its call: `audit_unavailable`.", func(t *testing.T) {
			g := open(t, "")
			pipe, release := stuck(t)
			mend := g.breakFiles(t, "/var/journal/", pipe)
			var both sync.WaitGroup
			for _, tool := range []string{reading, writing} {
				both.Go(func() { g.turned(t, tool, noRecord) })
			}
			both.Wait()
			if sent := g.peer.Calls(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
			release()
			mend()
			stage.Await(t, "calls are served again", func() bool { return g.alice.Call(t, reading, `{}`).Code() == "" })
		}},
		{"wrong data", serves, "A torn last record of a killed writer is cut off, which is on record, and the chain verifies; an edited one is found by `audit verify`.", func(t *testing.T) {
			s := build(t, "")
			s.lived(t, nil)
			segments, err := filepath.Glob(s.path("var/journal/*/*.jsonl"))
			if err != nil || len(segments) != 1 {
				t.Fatalf("%v %v", segments, err)
			}
			settled, err := filepath.Glob(s.path("var/journal/*/settled"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range settled { // as a kill leaves it
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.OpenFile(segments[0], os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"seq":3,"ty`); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			s.lived(t, func(g *run.Gateway) {
				found, err := g.Index().Query(t.Context(), audit.Filter{Type: audit.AuditRecovered, Limit: 10})
				if err != nil || len(found) != 1 {
					t.Errorf("on record: %v %v", found, err)
				}
			})
		}},
		{"full", denies, "No space left is no record: `audit_unavailable`; what was decided before stays.", func(t *testing.T) { unrecorded(t, full) }},
	}
}

// undisturbed holds that calls are served while the index's files are broken.
func undisturbed(t *testing.T, with func(*testing.T) int) {
	g := open(t, "")
	g.served(t, reading)
	mend := g.breakFiles(t, "/var/index.db", with(t))
	g.served(t, reading, writing, healthy)
	mend()
}

func indexCells() []cell {
	return []cell{
		{"absent at start", serves, "It is built anew from the journal.", func(t *testing.T) {
			s := build(t, "")
			before := 0
			s.lived(t, func(g *run.Gateway) { before = rows(t, g) })
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.RemoveAll(s.path("var/index.db" + suffix)); err != nil {
					t.Fatal(err)
				}
			}
			s.lived(t, func(g *run.Gateway) {
				if after := rows(t, g); after <= before {
					t.Errorf("%d rows after %d", after, before)
				}
			})
		}},
		{"fails while running", degrades, "Calls go on, since it is behind the journal; queries fail.", func(t *testing.T) { undisturbed(t, broken) }},
		{"slow", serves, "It is never on a call's path; queries wait for it.", func(t *testing.T) {
			g := open(t, "")
			g.served(t, reading)
			held := descriptor(t, g.Path("var/index.db-shm"), unix.O_RDWR)
			lock := unix.Flock_t{Type: unix.F_WRLCK, Start: 120, Len: 1} // who writes holds this byte of a write-ahead log's index
			if err := unix.FcntlFlock(uintptr(held), unix.F_OFD_SETLKW, &lock); err != nil {
				t.Fatal(err)
			}
			g.served(t, reading, writing, healthy)
		}},
		{"wrong data", serves, "One that is no database, or of another version, is built anew.", func(t *testing.T) {
			s := build(t, "")
			s.lived(t, nil)
			s.write(t, "var/index.db", "this is no database, and long enough to be taken for a header of one")
			for _, suffix := range []string{"-wal", "-shm"} {
				if err := os.RemoveAll(s.path("var/index.db" + suffix)); err != nil {
					t.Fatal(err)
				}
			}
			s.lived(t, func(g *run.Gateway) {
				if rows(t, g) == 0 {
					t.Error("it is empty")
				}
			})
		}},
		{"full", degrades, "Calls go on; what could not be indexed is later.", func(t *testing.T) { undisturbed(t, full) }},
	}
}

func diskCells() []cell {
	return []cell{
		{"absent at start", refuses, "Without a state directory nothing is served.", func(t *testing.T) {
			s := build(t, "")
			s.write(t, "var", "a file where the directory should be")
			s.refused(t, "state.dir")
		}},
		{"fails while running", denies, "As the journal does: no record, no call.", func(t *testing.T) {
			g := open(t, "")
			mend := g.breakFiles(t, "/var/", broken(t))
			g.denied(t, writing, `{}`, noRecord)
			mend()
		}},
		{"slow", denies, "As the journal does, and within the same time.", func(t *testing.T) {
			g := open(t, "")
			pipe, release := stuck(t)
			mend := g.breakFiles(t, "/var/journal/", pipe)
			g.denied(t, writing, `{}`, noRecord)
			release()
			mend()
		}},
		{"wrong data", refuses, "A state database that is none is not replaced: what was observed must not be lost unseen.", func(t *testing.T) {
			s := build(t, "")
			s.write(t, "var/state.db", "this is no database, and long enough to be taken for a header of one")
			s.refused(t, "state.db")
		}},
		{"full", denies, "No record, no call.", func(t *testing.T) {
			g := open(t, "")
			mend := g.breakFiles(t, "/var/", full(t))
			g.denied(t, writing, `{}`, noRecord)
			mend()
		}},
	}
}

func clockCells() []cell {
	steps := func(t *testing.T, by time.Duration) {
		g := open(t, "")
		var ahead atomic.Int64
		host := g.at(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
		call := func() {
			t.Helper()
			if r := host.Call(t, reading, `{}`); r.Code() != "" {
				t.Errorf("not served: %s", r.Body)
			}
		}
		call()
		ahead.Store(int64(by))
		call() // that the journal verifies, the stage holds when it closes
	}
	none := "The time is asked of the kernel."
	return []cell{
		{"absent at start", never, none, nil},
		{"fails while running", never, none, nil},
		{"slow", never, none, nil},
		{"wrong data", serves, "A clock that steps back or ahead changes what time events say, not their order, which the chain holds.", func(t *testing.T) {
			t.Run("back", func(t *testing.T) { steps(t, -time.Hour) })
			t.Run("ahead", func(t *testing.T) { steps(t, 24*time.Hour) })
		}},
		{"full", never, "It holds nothing.", nil},
	}
}

// serve serves a gateway until the test ends, and returns its URL.
func serve(t *testing.T, g *run.Gateway) string {
	t.Helper()
	front := httptest.NewServer(g.Handler())
	t.Cleanup(front.Close)
	return front.URL
}
