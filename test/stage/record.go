package stage

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// log collects what the operator's log says. It implements zapcore.WriteSyncer.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Sync implements zapcore.WriteSyncer.
func (l *log) Sync() error { return nil }

// Log returns what the operator's log said so far, at every level.
func (s *Stage) Log() string {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.text.String()
}

// Rows returns what is on record, oldest first.
func (s *Stage) Rows(t testing.TB, f audit.Filter) []audit.Row {
	t.Helper()
	f.Order, f.Limit = audit.OldestFirst, 1_000_000
	rows, err := s.Gateway.Index().Query(t.Context(), f)
	if err != nil {
		t.Fatalf("query: %v", err)
	}
	return rows
}

// Events returns what hosts left on record since it was asked last, oldest
// first: one row for each call. What the gateway notes of itself, questions to
// people, and counts of refusals are left out.
func (s *Stage) Events(t testing.TB) []audit.Row {
	t.Helper()
	var mine []audit.Row
	for _, r := range s.Rows(t, audit.Filter{}) {
		if r.Position.Seq <= s.seen {
			continue
		}
		s.seen = r.Position.Seq
		switch r.Type {
		case audit.ToolDecided, audit.ToolFinished, audit.ToolRefused, audit.ToolsListed, audit.RequestRefused:
			mine = append(mine, r)
		}
	}
	return mine
}

// OneEvent returns the one row that the last request left, and fails if there
// is another number of them.
func (s *Stage) OneEvent(t testing.TB) audit.Row {
	t.Helper()
	rows := s.Events(t)
	if len(rows) != 1 {
		t.Fatalf("%d events, want exactly one: %+v", len(rows), rows)
	}
	return rows[0]
}

// Changes returns the tools.changed rows of a tool, oldest first.
func (s *Stage) Changes(t testing.TB, tool string) []audit.Row {
	t.Helper()
	return s.Rows(t, audit.Filter{Type: audit.ToolsChanged, Tool: audit.Ident(tool)})
}

// Counted returns how many refusals of strangers are on record for a code.
func (s *Stage) Counted(t testing.TB, code gateway.Code) int {
	t.Helper()
	total := 0
	for _, r := range s.Rows(t, audit.Filter{Type: audit.RefusedCounted, Code: code}) {
		total += int(r.Count)
	}
	return total
}

// patience is how long Await waits for what must come.
const patience = 15 * time.Second

// Await waits until what must come has come; it asks again and again, and fails
// when patience is over.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("did not come: %s", what)
		}
	}
}

// Journal returns the text of the whole journal.
func (s *Stage) Journal(t testing.TB) []byte { return s.files(t, "var/journal") }

// Kept returns the contents of all files that the gateway keeps but for its keys.
func (s *Stage) Kept(t testing.TB) []byte { return s.files(t, "var") }

func (s *Stage) files(t testing.TB, dir string) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(s.Path(dir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // SQLite's helper files come and go
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "keys":
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all = append(all, text...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Leaks returns those of the texts that the gateway keeps, in whatever file but
// its keys, or logged.
func (s *Stage) Leaks(t testing.TB, canaries ...string) []string {
	t.Helper()
	kept := append(s.Kept(t), s.Log()...)
	return slices.DeleteFunc(slices.Clone(canaries), func(c string) bool { return !bytes.Contains(kept, []byte(c)) })
}
