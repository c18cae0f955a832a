package retain_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/retain"
	"mcp-gateway/audit/journal/verify"
)

type hand struct{ key ed25519.PrivateKey }

func newHand(seed byte) hand {
	return hand{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))}
}

func (h hand) Public() ed25519.PublicKey  { return h.key.Public().(ed25519.PublicKey) }
func (h hand) Sign(message []byte) []byte { return ed25519.Sign(h.key, message) }

// vault is a second place.
type vault struct {
	notes []string
	err   error
}

func (v *vault) Export(_ context.Context, note string) error {
	if v.err == nil {
		v.notes = append(v.notes, note)
	}
	return v.err
}

// scene is a journal with its second place.
type scene struct {
	*testing.T
	dir string
	out *vault
	j   *journal.Journal // the living writer
}

// newScene has two boots that ended and one that lives, each of several segments.
func newScene(t *testing.T) *scene {
	s := &scene{T: t, dir: t.TempDir(), out: &vault{}}
	for range 2 {
		s.boot(journal.Options{})
		s.write(30)
		if err := s.j.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.boot(journal.Options{})
	s.write(30)
	t.Cleanup(func() { s.j.Close(context.Background()) })
	return s
}

func (s *scene) boot(o journal.Options) {
	s.Helper()
	o.Replica, o.SegmentBytes = "r1", 2000
	o.Seal = &journal.Seal{Signer: newHand(1), Export: s.out}
	var err error
	if s.j, err = journal.Open(s.dir, o); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) write(n int) {
	s.Helper()
	for range n {
		if _, err := s.j.Append(s.Context(), &audit.Event{Type: audit.ConfigLoaded}, audit.Process); err != nil {
			s.Fatal(err)
		}
	}
	if err := s.j.Checkpoint(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) keys() checkpoint.Keys { return checkpoint.Keys{newHand(1).Public()} }

// options let everything go that may go.
func (s *scene) options() retain.Options {
	return retain.Options{
		Age: time.Hour, Now: time.Now().Add(48 * time.Hour),
		Signer: newHand(1), Keys: s.keys(), Export: s.out,
		Record: func(ctx context.Context, e *audit.Event) error {
			if _, err := s.j.Append(ctx, e, audit.Disk); err != nil {
				return err
			}
			return s.j.Checkpoint(ctx)
		},
	}
}

func (s *scene) prune(o retain.Options) []retain.Removal {
	s.Helper()
	done, err := retain.Prune(s.Context(), s.dir, o)
	if err != nil {
		s.Fatal(err)
	}
	return done
}

func (s *scene) verify() verify.Report {
	s.Helper()
	report, err := verify.Journal(s.dir, verify.Against{Keys: s.keys(), Notes: s.out.notes})
	if err != nil {
		s.Fatal(err)
	}
	return report
}

func (s *scene) segments(boot uint64) []int {
	s.Helper()
	ns, err := folder.Segments(s.dir, folder.Writer{Replica: "r1", Boot: boot})
	if err != nil {
		s.Fatal(err)
	}
	return ns
}

// What is old goes, whole boots too, and the chain begins at a signed checkpoint:
// the checkpoints in the second place still cover what is left.
func TestOldSegmentsGo(t *testing.T) {
	s := newScene(t)
	current := s.segments(3)
	done := s.prune(s.options())
	if len(done) != 3 || done[0].Events != 32 || done[0].Segments < 2 {
		t.Fatalf("removed %+v", done)
	}
	if len(s.segments(1)) != 0 || len(s.segments(2)) != 0 || !slices.Contains(s.segments(3), current[len(current)-1]) {
		t.Errorf("left %v %v %v", s.segments(1), s.segments(2), s.segments(3))
	}
	report := s.verify()
	if !report.OK() {
		t.Fatalf("problems %v", report.Problems)
	}
	for i, w := range report.Writers {
		if w.Removed == nil || w.Removed.Seq != done[i].Seq || w.Removed.By != s.j.Writer() || w.Removed.Event == 0 {
			t.Errorf("%v: removed %+v", w.Writer, w.Removed)
		}
	}
	// The gateway goes on, and so does its next boot.
	s.write(30)
	if err := s.j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.boot(journal.Options{})
	s.write(30)
	s.prune(s.options())
	if report := s.verify(); !report.OK() {
		t.Errorf("after the next boot: %v", report.Problems)
	}
	if unproven, err := verify.Journal(s.dir, verify.Against{}); err != nil || !unproven.OK() {
		t.Errorf("without a key: %v %v", unproven.Problems, err)
	}
}

// The size is kept by removing the oldest.
func TestSize(t *testing.T) {
	s := newScene(t)
	o := s.options()
	total := folder.Bytes(s.dir, folder.Writer{Replica: "r1", Boot: 1}) * 3
	o.Age, o.Size = 0, int64(total)-1
	done := s.prune(o)
	if len(done) != 1 || done[0].Writer.Boot != 1 || done[0].Segments != 1 {
		t.Errorf("removed %+v", done)
	}
	if report := s.verify(); !report.OK() || report.Writers[0].Removed == nil {
		t.Errorf("report %+v", report)
	}
	o.Size = 1 << 30
	if done := s.prune(o); done != nil {
		t.Errorf("removed %+v", done)
	}
}

// One who removes more than retention did is found, whether or not he writes a
// statement of his own.
func TestMoreIsMissed(t *testing.T) {
	for name, cover := range map[string]func(s *scene, c checkpoint.Checkpoint) string{
		"says nothing":          nil,
		"signs by another key":  func(_ *scene, c checkpoint.Checkpoint) string { return checkpoint.Sign(c, newHand(2)) },
		"takes the one he has":  func(s *scene, _ checkpoint.Checkpoint) string { return s.out.notes[len(s.out.notes)-1] },
		"says another place":    func(_ *scene, c checkpoint.Checkpoint) string { c.Seq++; return checkpoint.Sign(c, newHand(2)) },
		"says it is of no size": func(_ *scene, c checkpoint.Checkpoint) string { c.Seq = 0; return checkpoint.Sign(c, newHand(2)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			o := s.options()
			o.Age, o.Size = 0, int64(folder.Bytes(s.dir, folder.Writer{Replica: "r1", Boot: 1})*3)-1
			s.prune(o)
			w := folder.Writer{Replica: "r1", Boot: 1}
			path := folder.SegmentPath(s.dir, w, s.segments(1)[0])
			e, _, err := folder.LastIn(path)
			if err != nil {
				t.Fatal(err)
			}
			if cover != nil {
				note := cover(s, checkpoint.Checkpoint{Replica: "r1", Boot: 1, Seq: e.Seq, Removed: true, Time: o.Now})
				if err := checkpoint.Append(folder.CheckpointPath(s.dir, w), note); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if report := s.verify(); report.OK() {
				t.Error("it was not found")
			}
		})
	}
}

// What does not verify is evidence, and stays; other writers are served.
func TestEvidenceStays(t *testing.T) {
	s := newScene(t)
	w := folder.Writer{Replica: "r1", Boot: 1}
	path := folder.SegmentPath(s.dir, w, 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"seq":2,`), []byte(`"seq":9,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := retain.Prune(t.Context(), s.dir, s.options())
	if !errors.Is(err, retain.ErrNotWhole) {
		t.Errorf("err = %v", err)
	}
	if len(done) != 2 || done[0].Writer.Boot != 2 || len(s.segments(1)) == 0 {
		t.Errorf("removed %+v", done)
	}
}

// Nothing goes that is not on record, signed and in the second place.
func TestNothingGoesUnrecorded(t *testing.T) {
	broken := errors.New("broken")
	for name, breaks := range map[string]func(s *scene, o *retain.Options){
		"no record": func(_ *scene, o *retain.Options) {
			o.Record = func(context.Context, *audit.Event) error { return broken }
		},
		"no second place": func(_ *scene, o *retain.Options) { o.Export = &vault{err: broken} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			o := s.options()
			breaks(s, &o)
			before := s.segments(1)
			if _, err := retain.Prune(t.Context(), s.dir, o); !errors.Is(err, broken) {
				t.Errorf("err = %v", err)
			}
			if !slices.Equal(before, s.segments(1)) {
				t.Error("segments are gone")
			}
			if report, err := verify.Journal(s.dir, verify.Against{Keys: s.keys()}); err != nil || !report.OK() {
				t.Errorf("%v %v", report.Problems, err)
			}
			if done := s.prune(s.options()); len(done) != 3 {
				t.Errorf("then removed %+v", done)
			}
			if report := s.verify(); !report.OK() {
				t.Errorf("problems %v", report.Problems)
			}
		})
	}
}

// A process that dies between two segments leaves a chain that begins at a
// checkpoint all the same.
func TestDeathBetweenSegments(t *testing.T) {
	s := newScene(t)
	w := folder.Writer{Replica: "r1", Boot: 1}
	kept := folder.SegmentPath(s.dir, w, s.segments(1)[1])
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Age, o.Size = 0, int64(folder.Bytes(s.dir, w))*3-int64(len(text))-1
	if done := s.prune(o); done[0].Segments != 2 {
		t.Fatalf("removed %+v", done)
	}
	if err := os.WriteFile(kept, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if report := s.verify(); !report.OK() {
		t.Errorf("problems %v", report.Problems)
	}
}

// A reader that was at a segment which is gone goes on behind it.
func TestReadersGoOn(t *testing.T) {
	s := newScene(t)
	cursor := folder.Cursor{{Replica: "r1", Boot: 1}: {Segment: 1, Offset: 0}}
	s.prune(s.options())
	n := 0
	if err := folder.Read(t.Context(), s.dir, cursor, func(folder.Entry) error { n++; return nil }); err != nil || n == 0 {
		t.Errorf("%d events, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "r1-000001", "checkpoints")); err != nil {
		t.Error(err)
	}
}
