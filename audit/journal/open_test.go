package journal

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
)

// A start after a death costs what the newest segment costs, however long the dead one
// wrote: what was open before is noted. A note that is missing, torn or of another
// journal costs more, and closes the same.
func TestOpenIsNoted(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(note string) error
		reads bool // all segments again
	}{
		"as it was": {func(string) error { return nil }, false},
		"missing":   {os.Remove, true},
		"empty":     {func(note string) error { return os.WriteFile(note, nil, 0o600) }, true},
		"torn":      {func(note string) error { return os.Truncate(note, 20) }, true},
		"of a segment that is not there": {func(note string) error {
			return os.WriteFile(note, []byte("9999 0\n"), 0o600)
		}, true},
	} {
		dir := t.TempDir()
		j := open(t, dir, Options{SegmentBytes: 700})
		var left []audit.ID
		for i := range 9 {
			e := decided()
			mustAppend(t, j, e, audit.Process)
			if i%3 == 0 {
				left = append(left, e.Action)
			} else {
				mustAppend(t, j, finished(e), audit.Process)
			}
		}
		if err := j.abandon(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.spoil(filepath.Join(dir, j.Writer().String(), "open")); err != nil {
			t.Fatal(err)
		}
		// The first call is in the first segment: it is known without that, or not at all.
		first := folder.SegmentPath(dir, j.Writer(), 1)
		text, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		if !c.reads {
			if err := os.WriteFile(first, []byte("nothing\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		open(t, dir, Options{}).abandon(t.Context())
		if err := os.WriteFile(first, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var closed []audit.ID
		for _, e := range events(t, dir) {
			if e.Type == audit.ToolOrphaned {
				closed = append(closed, e.Action)
			}
		}
		if !slices.Equal(closed, left) {
			t.Errorf("%s: closed %v, want %v", name, closed, left)
		}
		verified(t, dir)
	}
}

// After a sync that failed nothing is noted any more: what ended since may not have.
func TestNothingIsNotedAfterAFailedSync(t *testing.T) {
	j := &Journal{}
	j.open.take([]record{{turn: opens, action: audit.ID{1}}})
	j.noteOpen(true)
	j.noteOpen(false)
	if !j.open.lost {
		t.Error("it is noted again")
	}
}
