package journal

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/verify"
)

type (
	Report  = verify.Report
	Problem = verify.Problem
)

const (
	Malformed = verify.Malformed
	Gap       = verify.Gap
	Fork      = verify.Fork
	Mismatch  = verify.Mismatch
	Torn      = verify.Torn
	Missing   = verify.Missing
)

// Verify holds a journal against its chains alone.
func Verify(dir string) (Report, error) { return verify.Journal(dir, verify.Against{}) }

// tampered is what a forger makes of a writer's lines; bad is the sequence that
// Verify must name first. Lines are given without their breaks; k is the index
// of the line to strike, never the last.
type tampering struct {
	name string
	do   func(lines [][]byte, k int) (out [][]byte, bad uint64)
}

func tamperings() []tampering {
	seq := func(k int) uint64 { return uint64(k + 1) }
	return []tampering{
		{"edit", func(ls [][]byte, k int) ([][]byte, uint64) {
			edited := edit(ls[k], func(e *audit.Event) { e.Effect = "deny" })
			return slices.Replace(ls, k, k+1, edited), seq(k)
		}},
		{"edit into no event", func(ls [][]byte, k int) ([][]byte, uint64) {
			broken := bytes.Replace(ls[k], []byte(`"v":1`), []byte(`"v":1 `), 1)
			return slices.Replace(ls, k, k+1, broken), seq(k)
		}},
		{"delete", func(ls [][]byte, k int) ([][]byte, uint64) {
			return slices.Delete(ls, k, k+1), seq(k)
		}},
		{"delete and renumber", func(ls [][]byte, k int) ([][]byte, uint64) {
			ls = slices.Delete(ls, k, k+1)
			ls[k] = edit(ls[k], func(e *audit.Event) { e.Seq-- })
			return ls, seq(k) - 1
		}},
		{"swap", func(ls [][]byte, k int) ([][]byte, uint64) {
			ls[k], ls[k+1] = ls[k+1], ls[k]
			return ls, seq(k)
		}},
		{"insert a copy", func(ls [][]byte, k int) ([][]byte, uint64) {
			return slices.Insert(ls, k, ls[k]), seq(k)
		}},
		{"insert a forged event", func(ls [][]byte, k int) ([][]byte, uint64) {
			forged := edit(ls[k], func(e *audit.Event) { e.Action = audit.ID{1} })
			return slices.Insert(ls, k, forged), seq(k)
		}},
		{"cut the middle", func(ls [][]byte, k int) ([][]byte, uint64) {
			half := append(bytes.Clone(ls[k][:len(ls[k])/2]), ls[k+1][len(ls[k+1])/2:]...)
			return slices.Replace(ls, k, k+2, half), seq(k)
		}},
		{"foreign", func(ls [][]byte, k int) ([][]byte, uint64) {
			foreign := edit(ls[k], func(e *audit.Event) { e.Boot = 99 })
			return slices.Replace(ls, k, k+1, foreign), seq(k)
		}},
		{"cut the end", func(ls [][]byte, k int) ([][]byte, uint64) {
			return ls[:k], seq(k)
		}},
	}
}

func edit(line []byte, change func(*audit.Event)) []byte {
	var e audit.Event
	if err := audit.Decode(line, &e); err != nil {
		panic(err)
	}
	change(&e)
	return audit.AppendJSON(nil, &e)
}

// write makes a journal of two boots of one replica; the events of the first
// are what the trials strike.
func writeTwoBoots(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	j := open(t, dir, Options{})
	for range 15 {
		e := decided()
		mustAppend(t, j, e, audit.Process)
		mustAppend(t, j, finished(e), audit.Process)
	}
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, Options{}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	verified(t, dir)
	return dir
}

// Each way of tampering with a boot that a later one follows is found, and the
// first bad sequence named, wherever it strikes.
func TestTampering(t *testing.T) {
	dir := writeTwoBoots(t)
	w := Writer{Replica: "r1", Boot: 1}
	path := folder.SegmentPath(dir, w, 1)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, how := range tamperings() {
		t.Run(how.name, func(t *testing.T) {
			for range 60 {
				lines := bytes.Split(bytes.TrimSuffix(good, []byte("\n")), []byte("\n"))
				k := 1 + random.IntN(len(lines)-3)
				lines, bad := how.do(lines, k)
				text := append(bytes.Join(lines, []byte("\n")), '\n')
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				report, err := Verify(dir)
				if err != nil {
					t.Fatal(err)
				}
				if p, ok := report.First(w); !ok || p.Seq != bad {
					t.Fatalf("line %d: first problem %+v, want sequence %d", k, p, bad)
				}
			}
			// A journal that was tampered with keeps no gateway from recording.
			if err := open(t, dir, Options{}).Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// One who writes the whole chain anew from some event on is found by the boot
// that follows.
func TestRechained(t *testing.T) {
	dir := writeTwoBoots(t)
	w := Writer{Replica: "r1", Boot: 1}
	path := folder.SegmentPath(dir, w, 1)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(good, []byte("\n")), []byte("\n"))
	var prev audit.Hash
	for i, l := range lines {
		lines[i] = edit(l, func(e *audit.Event) {
			if i == 7 {
				e.Effect = "deny"
			}
			if i > 7 {
				e.Prev = prev
			}
		})
		prev = folder.HashOf(lines[i])
	}
	if err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := report.First(w); !ok || p.Kind != Mismatch || p.Seq != uint64(len(lines)) {
		t.Errorf("first problem %+v", p)
	}
}

// Problems that are about boots and files as a whole.
func TestMissingParts(t *testing.T) {
	first := Writer{Replica: "r1", Boot: 1}
	for name, c := range map[string]struct {
		strike func(dir string) error
		want   Problem
	}{
		"a boot removed": {
			func(dir string) error { return os.RemoveAll(filepath.Join(dir, first.String())) },
			Problem{Kind: Missing, Writer: first, Seq: 1},
		},
		"the first segment removed": {
			func(dir string) error { return os.Remove(folder.SegmentPath(dir, first, 1)) },
			Problem{Kind: Missing, Writer: first, Seq: 1},
		},
		"a torn tail": {
			func(dir string) error {
				f, err := os.OpenFile(folder.SegmentPath(dir, first, 1), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = f.WriteString(`{"v":1,`)
				return err
			},
			Problem{Kind: Torn, Writer: first, Seq: 33, Segment: 1, Line: 33},
		},
		"a second boot after the same event": {
			func(dir string) error {
				return forgeBoot(dir, Writer{Replica: "r1", Boot: 2}, Writer{Replica: "r1", Boot: 3})
			},
			Problem{Kind: Fork, Writer: Writer{Replica: "r1", Boot: 3}, Seq: 1},
		},
		"a second beginning": {
			func(dir string) error { return forgeBoot(dir, first, Writer{Replica: "r1", Boot: 3}) },
			Problem{Kind: Fork, Writer: Writer{Replica: "r1", Boot: 3}, Seq: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTwoBoots(t)
			if err := c.strike(dir); err != nil {
				t.Fatal(err)
			}
			report, err := Verify(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Problems) != 1 || report.Problems[0] != c.want {
				t.Errorf("problems %+v, want %+v", report.Problems, c.want)
			}
		})
	}
}

// forgeBoot makes a boot whose only event is the first one of another.
func forgeBoot(dir string, of, to Writer) error {
	b, err := os.ReadFile(folder.SegmentPath(dir, of, 1))
	if err != nil {
		return err
	}
	line := edit(b[:bytes.IndexByte(b, '\n')], func(e *audit.Event) { e.Boot = to.Boot })
	if err := os.Mkdir(filepath.Join(dir, to.String()), 0o700); err != nil {
		return err
	}
	return os.WriteFile(folder.SegmentPath(dir, to, 1), append(line, '\n'), 0o600)
}

// A segment lost between two others is a gap at the event after it.
func TestLostSegment(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{SegmentBytes: 1000})
	for range 20 {
		mustAppend(t, j, decided(), audit.Process)
	}
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var lost uint64
	err := folder.EachLine(folder.SegmentPath(dir, j.Writer(), 3), 0, func(l folder.Line) error {
		var e audit.Event
		lost = e.Seq
		if err := audit.Decode(l.Bytes, &e); err != nil {
			return err
		}
		lost = e.Seq
		return folder.ErrStop
	})
	if err != folder.ErrStop {
		t.Fatal(err)
	}
	if err := os.Remove(folder.SegmentPath(dir, j.Writer(), 3)); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := report.First(j.Writer()); !ok || p.Kind != Gap || p.Seq != lost {
		t.Errorf("first problem %+v, want a gap at %d", p, lost)
	}
}

// A journal in use verifies at any moment.
func TestVerifyWhileWriting(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{SegmentBytes: 20_000})
	written := make(chan error)
	go func() {
		for range 2000 {
			if _, err := j.Append(context.Background(), decided(), audit.Process); err != nil {
				written <- err
				return
			}
		}
		close(written)
	}()
	for {
		verified(t, dir)
		select {
		case err, failed := <-written:
			if failed {
				t.Error(err)
			}
			return
		default:
		}
	}
}

// A line that is longer than any event is none, and ends where it ends.
func TestLongLine(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	path := folder.SegmentPath(dir, j.Writer(), 1)
	appendText(t, path, strings.Repeat("x", 3*folder.MaxLine)+"\n")
	pos := mustAppend(t, j, decided(), audit.Process)
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := events(t, dir); len(all) != 3 || all[1].Seq != pos.Seq {
		t.Errorf("events %+v", all)
	}
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := report.First(j.Writer()); !ok || p.Kind != Malformed || p.Seq != 2 || p.Line != 2 {
		t.Errorf("first problem %+v", p)
	}
}

// FuzzVerify gives any bytes for a segment: nothing may panic, and what is found
// good can be read whole.
func FuzzVerify(f *testing.F) {
	dir := writeTwoBoots(f)
	good, err := os.ReadFile(folder.SegmentPath(dir, Writer{Replica: "r1", Boot: 1}, 1))
	if err != nil {
		f.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	f.Add(bytes.Join(lines[:3], nil)) // few, since large inputs are minimised for long
	f.Add(bytes.Join(lines[1:3], nil))
	f.Add(lines[0][:len(lines[0])/2])
	f.Add([]byte("\n\n"))
	work := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := filepath.Join(work, "journal")
		defer os.RemoveAll(dir)
		w := Writer{Replica: "r1", Boot: 1}
		if err := folder.MakeDir(filepath.Join(dir, w.String())); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(folder.SegmentPath(dir, w, 1), text, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Verify(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := folder.Read(context.Background(), dir, folder.Cursor{}, func(folder.Entry) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if report.OK() && (uint64(n) != report.Events || len(text) > 0 && text[len(text)-1] != '\n') {
			t.Errorf("found good: %d events, read %d", report.Events, n)
		}
	})
}
