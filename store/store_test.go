package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

var morning = time.Date(2026, 9, 1, 8, 0, 0, 123456789, time.UTC)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func seen(tool, raw string, state gateway.ExposureState, reasons ...gateway.Reason) registry.Seen {
	return registry.Seen{
		ID: gateway.ItemID{Upstream: "git", Name: tool}, Digest: gateway.Digest("sha256-jcs1:" + raw),
		Raw: []byte(raw), State: state, Reasons: reasons,
	}
}

func observeAll(t *testing.T, s *Store, at time.Time, all ...registry.Seen) {
	t.Helper()
	if err := s.Observe(t.Context(), at, all); err != nil {
		t.Fatal(err)
	}
}

func TestHistorySurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?#%.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	first := seen("log", `{"name":"log"}`, gateway.StateNew, gateway.ReasonUnreviewed)
	second := seen("log", `{"name":"log","x":1}`, gateway.StateChanged, gateway.ReasonDefinitionChanged, "hidden_unicode")
	other := registry.Seen{ID: gateway.ItemID{Upstream: "files", Name: "read"}, Digest: "sha256:0", State: gateway.StateWithheld}
	observeAll(t, s, morning, first, other)
	observeAll(t, s, morning.Add(time.Hour), second)
	first.State, first.Reasons = gateway.StateApproved, nil
	observeAll(t, s, morning.Add(2*time.Hour), first)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the database is not where it was asked for: %v", err)
	}
	s = open(t, path)
	first.First, first.Last = morning, morning.Add(2*time.Hour)
	second.First, second.Last = morning.Add(time.Hour), morning.Add(time.Hour)
	other.First, other.Last = morning, morning
	for upstream, want := range map[string][]registry.Seen{
		"": {other, first, second}, "git": {first, second}, "none": nil,
	} {
		got, err := s.Definitions(t.Context(), upstream)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Definitions(%q) = %+v, %v\nwant %+v", upstream, got, err, want)
		}
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Two processes may note the same list in either order.
func TestObserveOutOfOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	observeAll(t, s, morning.Add(time.Hour), seen("log", "{}", gateway.StateApproved))
	observeAll(t, s, morning, seen("log", "{}", gateway.StateNew, gateway.ReasonUnreviewed))
	got, err := s.Definitions(t.Context(), "git")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if d := got[0]; !d.First.Equal(morning) || !d.Last.Equal(morning.Add(time.Hour)) || d.State != gateway.StateApproved || d.Reasons != nil {
		t.Errorf("got %+v", d)
	}
}

func TestObserveIsAllOrNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	if _, err := s.write.Exec(`CREATE TRIGGER refuse BEFORE INSERT ON definitions WHEN new.tool = 'bad'
		BEGIN SELECT raise(ABORT, 'no'); END`); err != nil {
		t.Fatal(err)
	}
	err := s.Observe(t.Context(), morning, []registry.Seen{seen("good", "{}", gateway.StateNew), seen("bad", "{}", gateway.StateNew)})
	if err == nil {
		t.Fatal("no error")
	}
	if got, err := s.Definitions(t.Context(), ""); err != nil || len(got) != 0 {
		t.Errorf("half of a list was kept: %v %v", got, err)
	}
}

// An upstream that changes its definitions endlessly must not fill the disk.
func TestObserveBoundsWhatIsNotApproved(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	s.keep = 10 * (overhead + 100)
	raw := func(i int) string { return fmt.Sprintf("%0100d", i) }
	observeAll(t, s, morning, seen("log", raw(0), gateway.StateApproved))
	for i := 1; i <= 50; i++ {
		observeAll(t, s, morning.Add(time.Duration(i)*time.Minute), seen("log", raw(i), gateway.StateChanged))
	}
	got, err := s.Definitions(t.Context(), "git")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 11 || string(got[0].Raw) != raw(0) || string(got[10].Raw) != raw(50) || string(got[1].Raw) != raw(41) {
		t.Errorf("%d are kept, from %s to %s", len(got), got[0].Raw, got[len(got)-1].Raw)
	}
}

func TestUpstreams(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), Name))
	up := registry.UpstreamFact{ID: "git", Era: "modern", Revision: "2026-07-28", Up: true, At: morning, ClaimedName: "Git", ClaimedVersion: "1.2"}
	down := registry.UpstreamFact{ID: "git", Era: "modern", Revision: "2026-07-28", Reason: "exited", At: morning.Add(time.Minute)}
	late := registry.UpstreamFact{ID: "git", Era: "legacy", At: morning.Add(time.Second)}
	loud := registry.UpstreamFact{ID: "a", Up: true, At: morning, ClaimedName: strings.Repeat("ü", 1000), Capabilities: `{"tools":{}}`, Instructions: strings.Repeat("x", 1<<20)}
	for _, f := range []registry.UpstreamFact{up, down, late, loud} {
		if err := s.SetUpstream(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	loud.ClaimedName, loud.Instructions = strings.Repeat("ü", 128), ""
	if got, err := s.Upstreams(t.Context()); err != nil || !reflect.DeepEqual(got, []registry.UpstreamFact{loud, down}) {
		t.Errorf("Upstreams() = %+v, %v", got, err)
	}
	if got, ok, err := s.Upstream(t.Context(), "git"); err != nil || !ok || got != down {
		t.Errorf("Upstream(git) = %+v, %v, %v", got, ok, err)
	}
	if got, ok, err := s.Upstream(t.Context(), "none"); err != nil || ok {
		t.Errorf("Upstream(none) = %+v, %v, %v", got, ok, err)
	}
}

// database returns the bytes of a database that SQL made.
func database(t *testing.T, statements string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A database of the first version keeps its facts, and learns new ones.
func TestOlderDatabaseIsBroughtForward(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	old := database(t, fmt.Sprintf(`%s; PRAGMA application_id = %d; PRAGMA user_version = 1;
		INSERT INTO upstreams VALUES ('git', 'modern', '2026-07-28', 1, '', 0, 'Git', '1')`, version1, applicationID))
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	f, ok, err := s.Upstream(t.Context(), "git")
	if err != nil || !ok || f.ClaimedName != "Git" || f.Capabilities != "" {
		t.Fatalf("%+v %v %v", f, ok, err)
	}
	f.Capabilities = `{"tools":{}}`
	if err := s.SetUpstream(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if got, _, err := s.Upstream(t.Context(), "git"); err != nil || got.Capabilities != f.Capabilities {
		t.Errorf("%+v %v", got, err)
	}
}

func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	observeAll(t, s, morning, seen("log", "{}", gateway.StateNew))
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Errorf("%d files, want the database, its log and its index", len(files))
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
	if _, err := Open(t.Context(), dir); err == nil {
		t.Error("a directory was opened")
	}
}

// What can't be used is left exactly as it is.
func TestOpenRefusesAndLeaves(t *testing.T) {
	ours := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = ", version1, applicationID)
	tests := map[string]struct {
		content []byte
		want    error
	}{
		"text":          {[]byte(strings.Repeat("this is no database\n", 100)), ErrCorrupt},
		"a few bytes":   {[]byte("x"), ErrCorrupt},
		"newer":         {database(t, ours+fmt.Sprint(len(migrations())+1)), ErrNewer},
		"much newer":    {database(t, ours+"1000"), ErrNewer},
		"foreign":       {database(t, "CREATE TABLE bookmarks (url TEXT)"), ErrForeign},
		"foreign empty": {database(t, "PRAGMA application_id = 7; PRAGMA user_version = 1"), ErrForeign},
		"broken schema": {spoil(database(t, ours+"1"), 100, 300), ErrCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), Name)
			if err := os.WriteFile(path, tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), path)
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("Open: %v, want %v", err, tt.want)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(after, tt.content) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func spoil(raw []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		raw[i] = 0xA5
	}
	return raw
}

// Damage in the middle shows when that part is read, and in Check.
func TestDamagedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		observeAll(t, s, morning, seen(fmt.Sprint("tool", i), strings.Repeat("x", 3000), gateway.StateNew))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, spoil(raw, len(raw)/2, len(raw)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	if _, err := s.Definitions(t.Context(), ""); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Definitions: %v", err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Check: %v", err)
	}
}

func TestContextsAreHonoured(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	holder, waiter := open(t, path), open(t, path)
	tx, err := holder.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err = waiter.Observe(ctx, morning, []registry.Seen{seen("log", "{}", gateway.StateNew)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Observe: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := waiter.Definitions(gone, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Definitions: %v", err)
	}
	// Readers do not wait for writers, and writers only for as long as they must.
	if got, err := waiter.Definitions(t.Context(), ""); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	observeAll(t, waiter, morning, seen("log", "{}", gateway.StateNew))
}

const helperVar = "STORE_TEST_PATH"

func writeMany(t *testing.T, path, upstream string) {
	s := open(t, path)
	for i := range 25 {
		d := registry.Seen{ID: gateway.ItemID{Upstream: upstream, Name: fmt.Sprint(i)}, Digest: "sha256:0", Raw: []byte("{}"), State: gateway.StateNew}
		observeAll(t, s, morning, d, seen("shared", "{}", gateway.StateNew))
		if err := s.SetUpstream(t.Context(), registry.UpstreamFact{ID: upstream, Up: true, At: morning}); err != nil {
			t.Fatal(err)
		}
	}
}

// Real processes make, migrate and fill one new file at the same time.
func TestTwoProcesses(t *testing.T) {
	if path := os.Getenv(helperVar); path != "" { // this is one of the others
		writeMany(t, path, fmt.Sprint("process", os.Getpid()))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), Name)
	const others = 2
	var wg sync.WaitGroup
	for range others {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestTwoProcesses$", "-test.v")
			cmd.Env = append(os.Environ(), helperVar+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("SKIP")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	writeMany(t, path, "here")
	wg.Wait()

	s := open(t, path)
	got, err := s.Definitions(t.Context(), "")
	if err != nil || len(got) != 25*(others+1)+1 {
		t.Errorf("%d definitions, %v", len(got), err)
	}
	if ups, err := s.Upstreams(t.Context()); err != nil || len(ups) != others+1 {
		t.Errorf("%d upstreams, %v", len(ups), err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Refreshing 300 known tools, as every refresh does.
func BenchmarkObserveKnown(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), Name))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var all []registry.Seen
	for i := range 300 {
		all = append(all, seen(fmt.Sprint("tool", i), strings.Repeat("x", 900), gateway.StateApproved))
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Observe(b.Context(), morning, all); err != nil {
			b.Fatal(err)
		}
	}
}
