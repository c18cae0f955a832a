package compare_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/index/compare"
	"mcp-gateway/audit/index/file"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/retain"
	"mcp-gateway/audit/journal/verify"
)

// world is a journal that holds calls with their ends, and an index built from it.
type world struct {
	t          *testing.T
	dir, index string
	journal    *journal.Journal
	hand       hand
}

// hand signs checkpoints.
type hand ed25519.PrivateKey

func (h hand) Public() ed25519.PublicKey {
	return ed25519.PrivateKey(h).Public().(ed25519.PublicKey)
}
func (h hand) Sign(message []byte) []byte { return ed25519.Sign(ed25519.PrivateKey(h), message) }

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "journal"), index: filepath.Join(t.TempDir(), "index.db"), hand: hand(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))}
	w.open()
	w.calls(10)
	return w
}

func (w *world) open() {
	j, err := journal.Open(w.dir, journal.Options{Replica: "gw", SegmentBytes: 2000, Seal: &journal.Seal{Signer: w.hand}})
	w.check(err)
	w.journal = j
	w.t.Cleanup(func() { _ = j.Close(context.Background()) }) // closed again where a case closed it
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(e audit.Event) {
	_, err := w.journal.Append(w.t.Context(), &e, audit.Process)
	w.check(err)
}

// calls puts calls of which each ends after the next began.
func (w *world) calls(n int) {
	var before audit.ID
	for range n {
		id := audit.NewID(time.Now())
		w.put(audit.Event{Type: audit.ToolDecided, Action: id, Upstream: "up", Tool: "up__do"})
		if !before.IsZero() {
			w.put(audit.Event{Type: audit.ToolFinished, Action: before})
		}
		before = id
	}
	w.put(audit.Event{Type: audit.ToolFinished, Action: before})
}

func (w *world) build() {
	x, err := index.Open(w.index, w.dir)
	w.check(err)
	defer x.Close()
	w.check(x.CatchUp(w.t.Context()))
}

func (w *world) sql(statement string) {
	db, err := file.Connect(w.index)
	w.check(err)
	defer db.Close()
	_, err = db.Exec(statement)
	w.check(err)
}

func (w *world) differs() []verify.Problem {
	held, err := compare.Read(w.t.Context(), w.index, index.Version)
	w.check(err)
	r, err := verify.Journal(w.dir, verify.Against{Keys: checkpoint.Keys{w.hand.Public()}})
	w.check(err)
	found, err := held.Against(w.dir, &r)
	w.check(err)
	return found
}

// prune removes what retention does, half of the journal.
func (w *world) prune() {
	w.check(w.journal.Checkpoint(w.t.Context()))
	_, err := retain.Prune(w.t.Context(), w.dir, retain.Options{
		Size: int64(folder.Bytes(w.dir, folder.Writer{Replica: "gw", Boot: 1})) / 2, Now: time.Now(), Signer: w.hand, Keys: checkpoint.Keys{w.hand.Public()},
		Record: func(ctx context.Context, e *audit.Event) error {
			_, err := w.journal.Append(ctx, e, audit.Disk)
			return errors.Join(err, w.journal.Checkpoint(ctx))
		},
	})
	w.check(err)
}

func TestAgainst(t *testing.T) {
	gw := folder.Writer{Replica: "gw", Boot: 1}
	for name, c := range map[string]struct {
		do   func(w *world)
		kind verify.Kind // "" = no problem
		seq  uint64
	}{
		"built":             {func(w *world) { w.build() }, "", 0},
		"no index":          {func(*world) {}, "", 0},
		"another version's": {func(w *world) { w.build(); w.sql("DELETE FROM event"); w.sql("PRAGMA user_version = 3") }, "", 0},
		"no index, but another file": {func(w *world) {
			w.check(os.WriteFile(w.index, []byte("this is no index at all, and never was one"), 0o600))
		}, "", 0},
		"behind the journal":       {func(w *world) { w.build(); w.calls(5) }, "", 0},
		"behind, and it caught up": {func(w *world) { w.build(); w.calls(5); w.build() }, "", 0},
		"a row taken":              {func(w *world) { w.build(); w.sql("DELETE FROM event WHERE seq = 2") }, verify.IndexDiffers, 2},
		"a row taken, behind":      {func(w *world) { w.build(); w.calls(5); w.sql("DELETE FROM event WHERE seq = 5") }, verify.IndexDiffers, 5},
		"the last row taken":       {func(w *world) { w.build(); w.sql("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)") }, verify.IndexDiffers, 19},
		"all rows taken":           {func(w *world) { w.build(); w.sql("DELETE FROM event") }, verify.IndexDiffers, 1},
		"an end taken":             {func(w *world) { w.build(); w.sql("UPDATE event SET end_seq = NULL, end_writer = NULL WHERE seq = 2") }, verify.IndexDiffers, 4},
		"a row twice": {func(w *world) {
			w.build()
			w.sql("INSERT INTO event (at, time, type, uuid, writer, seq) SELECT at, time, type, uuid, writer, seq FROM event WHERE seq = 3")
		}, verify.IndexDiffers, 3},
		"a row of no event": {func(w *world) {
			w.build()
			w.sql("INSERT INTO event (at, time, type, uuid, writer, seq) SELECT at, time, type, uuid, writer, 4000 FROM event WHERE seq = 3")
		}, verify.IndexDiffers, 22},
		"retention":                      {func(w *world) { w.build(); w.prune(); w.build() }, "", 0},
		"retention that it has not read": {func(w *world) { w.build(); w.prune() }, "", 0},
		"retention before it was built":  {func(w *world) { w.prune(); w.build() }, "", 0},
		"retention, and calls since":     {func(w *world) { w.build(); w.prune(); w.calls(5); w.build() }, "", 0},
		"a writer that the journal lost": {func(w *world) { w.build(); w.check(os.RemoveAll(filepath.Join(w.dir, gw.String()))) }, verify.Missing, 1},
		"a dead one's calls, closed since": {func(w *world) {
			w.put(audit.Event{Type: audit.ToolDecided, Action: audit.NewID(time.Now())})
			w.check(w.journal.Close(w.t.Context()))
			w.open()
			w.build()
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.do(w)
			found := w.differs()
			switch {
			case c.kind == "" && len(found) > 0:
				t.Errorf("found %v", found)
			case c.kind != "" && (len(found) != 1 || found[0] != verify.Problem{Kind: c.kind, Writer: gw, Seq: c.seq}):
				t.Errorf("found %v, want %s at %d", found, c.kind, c.seq)
			}
		})
	}
}
