package folder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
)

// open opens a journal of small segments.
func open(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(dir, journal.Options{Replica: "r1", SegmentBytes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

func write(t testing.TB, j *journal.Journal) {
	t.Helper()
	if _, err := j.Append(t.Context(), &audit.Event{Type: audit.ConfigLoaded}, audit.Process); err != nil {
		t.Fatal(err)
	}
}

// A reader goes on where it was, over segments, errors and new events, and
// neither misses nor repeats one.
func TestReadResumes(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	cursor := folder.Cursor{}
	var seqs []uint64
	errStopEarly := errors.New("enough")
	for round := range 10 {
		for range 5 {
			write(t, j)
		}
		n := 0
		err := folder.Read(t.Context(), dir, cursor, func(e folder.Entry) error {
			if n++; round%2 == 0 && n > 3 {
				return errStopEarly
			}
			seqs = append(seqs, e.Event.Seq)
			if at, err := folder.At(dir, e.Writer, e.Place); err != nil || at.ID != e.Event.ID {
				t.Errorf("at %v: %v, %v", e.Place, at.ID, err)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopEarly) {
			t.Fatal(err)
		}
		ends, err := folder.Ends(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := cursor.Reached(ends), round%2 == 1; got != want {
			t.Errorf("round %d: reached %v", round, got)
		}
	}
	for i, seq := range seqs {
		if seq != uint64(i+1) {
			t.Fatalf("read %v", seqs)
		}
	}
	if len(seqs) != 51 {
		t.Errorf("%d events, want 51", len(seqs))
	}
	last := cursor[j.Writer()]
	cursor[j.Writer()] = folder.Place{Segment: last.Segment, Offset: 1 << 40}
	if err := folder.Read(t.Context(), dir, cursor, nil); !errors.Is(err, folder.ErrBehind) {
		t.Errorf("a cursor behind the end: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := folder.Read(ctx, dir, folder.Cursor{}, func(folder.Entry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("reading without a context: %v", err)
	}
}

// Only what is named as a writer names itself is one.
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b-000010", "a-1-000002", "a-000001", "a-1", "-000003", "c-0000004", "lost+found"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "d-000005"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := folder.Writers(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []folder.Writer{{Replica: "a", Boot: 1}, {Replica: "a-1", Boot: 2}, {Replica: "b", Boot: 10}}
	if len(ws) != len(want) || ws[0] != want[0] || ws[1] != want[1] || ws[2] != want[2] {
		t.Errorf("writers %v, want %v", ws, want)
	}
}

// A lock has one holder, and ends with it.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := folder.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.TryLock(path); !errors.Is(err, folder.ErrLocked) {
		t.Errorf("a second holder: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := folder.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// FuzzRead reads any bytes as a segment: every event comes from a whole line,
// and the places of the events are where they can be found again.
func FuzzRead(f *testing.F) {
	line := string(audit.AppendJSON(nil, &audit.Event{Type: audit.ConfigLoaded, Seq: 1}))
	for _, text := range []string{"", line, line + "\n", line + "\n\n" + line + "\n" + line, "\n\n\x00"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		w := folder.Writer{Replica: "r1", Boot: 1}
		if err := folder.MakeDir(filepath.Join(dir, w.String())); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(folder.SegmentPath(dir, w, 1), text, 0o600); err != nil {
			t.Fatal(err)
		}
		cursor := folder.Cursor{}
		err := folder.Read(context.Background(), dir, cursor, func(e folder.Entry) error {
			if text[e.Next.Offset-1] != '\n' {
				t.Errorf("an event of a line without an end: %v", e.Place)
			}
			at, err := folder.At(dir, e.Writer, e.Place)
			if err != nil || at.Seq != e.Event.Seq {
				t.Errorf("at %v: %v", e.Place, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ends, err := folder.Ends(dir, nil)
		if err != nil || !cursor.Reached(ends) {
			t.Errorf("read to %v, the end is %v, %v", cursor, ends, err)
		}
	})
}
