package journal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/verify"
)

// hand signs with a key of the test.
type hand struct{ key ed25519.PrivateKey }

func newHand(seed byte) hand {
	return hand{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))}
}

func (h hand) Public() ed25519.PublicKey  { return h.key.Public().(ed25519.PublicKey) }
func (h hand) Sign(message []byte) []byte { return ed25519.Sign(h.key, message) }

// vault is a second place.
type vault struct {
	mu    sync.Mutex
	notes []string
	err   error
}

func (v *vault) Export(_ context.Context, note string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		v.notes = append(v.notes, note)
	}
	return v.err
}

func (v *vault) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.notes)
}

func (v *vault) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err
}

func against(v *vault) verify.Against {
	return verify.Against{Keys: checkpoint.Keys{newHand(1).Public()}, Notes: v.all()}
}

// fillSealed writes one boot of n calls and ends it.
func fillSealed(t testing.TB, dir string, v *vault, n int) Writer {
	t.Helper()
	j := open(t, dir, Options{Seal: &Seal{Signer: newHand(1), Export: v}})
	for range n {
		e := decided()
		mustAppend(t, j, e, audit.Process)
		mustAppend(t, j, finished(e), audit.Process)
	}
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j.Writer()
}

func held(t testing.TB, dir string, o verify.Against) *verify.Report {
	t.Helper()
	report, err := verify.Journal(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return &report
}

// Each thousandth event has its checkpoint, and the last one, in both places.
func TestCheckpoints(t *testing.T) {
	dir, v := t.TempDir(), &vault{}
	w := fillSealed(t, dir, v, 1200)
	report := held(t, dir, against(v))
	if !report.OK() {
		t.Fatalf("problems %v", report.Problems)
	}
	got := report.Writers[0]
	if got.Last != 2402 || got.Sealed != got.Last || got.Abroad != got.Last {
		t.Errorf("report %+v", got)
	}
	seen := map[uint64]bool{}
	for _, note := range v.all() {
		c, err := against(v).Keys.Open(note)
		if err != nil || c.Replica != w.Replica || c.Boot != w.Boot {
			t.Errorf("%+v %v", c, err)
		}
		seen[c.Seq] = true
	}
	if !seen[1000] || !seen[2000] || !seen[2402] {
		t.Errorf("checkpoints at %v", seen)
	}
	here, err := checkpoint.Read(folder.CheckpointPath(dir, w))
	if err != nil || !slices.Equal(here, v.all()) {
		t.Errorf("in the journal %d, elsewhere %d, %v", len(here), len(v.all()), err)
	}
	if other := held(t, dir, verify.Against{Keys: checkpoint.Keys{newHand(2).Public()}}); other.OK() {
		t.Error("checkpoints of another key are taken")
	}
}

// A checkpoint is made after a time too, and one that the second place did not
// take is brought there later.
func TestSecondPlaceIsTriedAgain(t *testing.T) {
	dir, v := t.TempDir(), &vault{err: errors.New("gone")}
	failed := make(chan error, 1)
	j := open(t, dir, Options{Seal: &Seal{Signer: newHand(1), Export: v, Every: time.Millisecond, Failed: func(err error) {
		select {
		case failed <- err:
		default:
		}
	}}})
	mustAppend(t, j, decided(), audit.Process)
	<-failed
	<-failed // and it is tried again
	v.fail(nil)
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := held(t, dir, against(v))
	if !report.OK() || report.Writers[0].Abroad != 3 {
		t.Errorf("report %+v", report)
	}
}

// A head is signed only when it is on disk.
func TestNoCheckpointWithoutSync(t *testing.T) {
	dir, v, d := t.TempDir(), &vault{}, &disk{room: -1}
	failed := make(chan error, 100)
	j := open(t, dir, Options{create: d.create, Seal: &Seal{Signer: newHand(1), Export: v, Failed: func(err error) { failed <- err }}})
	d.set(-1, errors.New("the disk is broken"))
	for range 999 {
		mustAppend(t, j, decided(), audit.Process)
	}
	<-failed
	for _, note := range v.all() {
		if c, err := against(v).Keys.Open(note); err != nil || c.Seq >= 1000 {
			t.Errorf("%+v %v", c, err)
		}
	}
}

// struck is a journal that a forger may write anew: he has everything but the
// signing key and what was taken to the second place.
type struck struct {
	dir   string
	w     Writer
	lines [][]byte
	k     int // the line to strike; it is covered
}

func (s *struck) rechain(from int) {
	for i := from; i < len(s.lines); i++ {
		s.lines[i] = edit(s.lines[i], func(e *audit.Event) {
			e.Seq = uint64(i + 1)
			if i > 0 {
				e.Prev = folder.HashOf(s.lines[i-1])
			}
		})
	}
}

func forgeries() map[string]func(*struck) error {
	return map[string]func(*struck) error{
		"edit": func(s *struck) error {
			s.lines[s.k] = edit(s.lines[s.k], func(e *audit.Event) { e.Effect = "deny" })
			return nil
		},
		"delete": func(s *struck) error { s.lines = slices.Delete(s.lines, s.k, s.k+1); return nil },
		"swap": func(s *struck) error {
			s.lines[s.k], s.lines[s.k+1] = s.lines[s.k+1], s.lines[s.k]
			return nil
		},
		"insert": func(s *struck) error { s.lines = slices.Insert(s.lines, s.k, s.lines[s.k]); return nil },
		"re-chain": func(s *struck) error {
			s.lines[s.k] = edit(s.lines[s.k], func(e *audit.Event) { e.Effect = "deny" })
			s.rechain(s.k + 1)
			return os.Remove(folder.CheckpointPath(s.dir, s.w))
		},
		"fork": func(s *struck) error {
			other := Writer{Replica: s.w.Replica, Boot: s.w.Boot + 1}
			if err := os.Rename(filepath.Join(s.dir, s.w.String()), filepath.Join(s.dir, other.String())); err != nil {
				return err
			}
			s.w = other
			for i := range s.lines {
				s.lines[i] = edit(s.lines[i], func(e *audit.Event) { e.Boot = other.Boot })
			}
			s.rechain(1)
			return os.Remove(folder.CheckpointPath(s.dir, s.w))
		},
		"truncate": func(s *struck) error {
			s.lines = s.lines[:s.k]
			return os.Remove(folder.CheckpointPath(s.dir, s.w))
		},
		"whole boot removed": func(s *struck) error {
			s.lines = nil
			return os.RemoveAll(filepath.Join(s.dir, s.w.String()))
		},
	}
}

// copyDir makes a journal to strike.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "journal")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// strike applies one forgery at a random covered line of the last boot, which
// no later one vouches for.
func strike(t testing.TB, good string, w Writer, random *rand.Rand, how func(*struck) error, from, to int) string {
	t.Helper()
	s := &struck{dir: copyDir(t, good), w: w}
	text, err := os.ReadFile(folder.SegmentPath(s.dir, w, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.lines = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	s.k = from + random.IntN(to-from)
	if err := how(s); err != nil {
		t.Fatal(err)
	}
	if s.lines != nil {
		text = append(bytes.Join(s.lines, []byte("\n")), '\n')
		if err := os.WriteFile(folder.SegmentPath(s.dir, s.w, 1), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s.dir
}

// Whatever is done to events that a checkpoint in the second place covers is
// found, in every trial, also by one who writes the whole chain anew.
func TestTamperingUnderCheckpoints(t *testing.T) {
	good, v := t.TempDir(), &vault{}
	fillSealed(t, good, v, 5)
	w := fillSealed(t, good, v, 40)
	if report := held(t, good, against(v)); !report.OK() {
		t.Fatalf("problems %v", report.Problems)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for name, how := range forgeries() {
		t.Run(name, func(t *testing.T) {
			found := 0
			for range 60 {
				dir := strike(t, good, w, random, how, 1, 80)
				if !held(t, dir, against(v)).OK() {
					found++
				}
			}
			t.Logf("%s: %d of 60 found", name, found)
			if found != 60 {
				t.Errorf("%d of 60 found", found)
			}
		})
	}
}

// On events after the last checkpoint, of a writer that was killed, an edit is
// found by the chain alone; what one who writes the end anew or cuts it off did
// is not: that is the stated limit.
func TestTamperingBeyondCheckpoints(t *testing.T) {
	good, v := t.TempDir(), &vault{}
	fillSealed(t, good, v, 5)
	j := open(t, good, Options{}) // it makes no checkpoints
	for range 80 {
		mustAppend(t, j, decided(), audit.Process)
	}
	if err := j.abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	limits := map[string]int{"edit": 60, "delete": 60, "swap": 60, "insert": 60, "re-chain": 0, "fork": 0, "truncate": 0, "whole boot removed": 0}
	for name, how := range forgeries() {
		found := 0
		for range 60 {
			dir := strike(t, good, j.Writer(), random, func(s *struck) error {
				if err := how(s); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
				return nil
			}, 1, 78)
			if !held(t, dir, against(v)).OK() {
				found++
			}
		}
		t.Logf("%s: %d of 60 found", name, found)
		if found != limits[name] {
			t.Errorf("%s: %d of 60 found, the stated limit is %d", name, found, limits[name])
		}
	}
}
