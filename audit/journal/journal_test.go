package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

func TestPositionNamesTheLine(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	e := decided()
	pos := mustAppend(t, j, e, audit.Disk)
	if pos.Replica != "r1" || pos.Boot != 1 || pos.Seq != 2 || e.Seq != 2 {
		t.Errorf("position %+v, event %d", pos, e.Seq)
	}
	mustAppend(t, j, finished(e), audit.Process)
	all := events(t, dir)
	if all[2].Prev != pos.Hash {
		t.Errorf("the next event is chained to %s, the position says %s", all[2].Prev, pos.Hash)
	}
	if err := j.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := j.Append(t.Context(), decided(), audit.Process)
	wantUnavailable(t, err)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("the cause is %v", err)
	}
}

// The boots of a replica form one chain, whether they ended well or not, and
// other replicas in the same folder have their own.
func TestBootsAreChained(t *testing.T) {
	dir := t.TempDir()
	heads := map[audit.Ident]audit.Position{}
	for i, replica := range []audit.Ident{"r1", "r2", "r1", "r-1-x", "r2", "r1"} {
		j := open(t, dir, Options{Replica: replica})
		first := events(t, dir)
		started := first[len(first)-1]
		before := heads[replica]
		if started.Type != audit.GatewayStarted || started.Boot != uint64(i+1) ||
			started.OfBoot != before.Boot || started.OfSeq != before.Seq || started.Prev != before.Hash {
			t.Errorf("boot %d of %s began with %+v, want it after %+v", i+1, replica, started, before)
		}
		heads[replica] = mustAppend(t, j, &audit.Event{Type: audit.ConfigLoaded}, audit.Process)
		if i%2 == 0 {
			j.abandon(t.Context())
			continue
		}
		if err := j.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		h, _, err := folder.LastEvent(dir, j.Writer())
		if err != nil {
			t.Fatal(err)
		}
		heads[replica] = audit.Position{Replica: replica, Boot: h.Writer.Boot, Seq: h.Seq, Hash: h.Hash}
	}
	verified(t, dir)
}

func TestReplicaIDs(t *testing.T) {
	for _, bad := range []audit.Ident{"", "a/b", "..", "a b"} {
		if j, err := Open(t.TempDir(), Options{Replica: bad}); err == nil {
			j.abandon(t.Context())
			t.Errorf("replica %q was taken", bad)
		}
	}
}

// Many appenders, each its own event, both classes: all acknowledged ones stand
// in one chain, and far fewer fsyncs than appends were needed.
func TestGroupCommit(t *testing.T) {
	d := &disk{room: -1}
	dir := t.TempDir()
	j := open(t, dir, Options{create: d.create})
	before := d.syncs.Load()
	const workers, each = 32, 20
	var wg sync.WaitGroup
	var failed atomic.Int64
	for w := range workers {
		class := audit.Disk
		if w%4 == 0 {
			class = audit.Process
		}
		wg.Go(func() {
			for range each {
				if _, err := j.Append(context.Background(), decided(), class); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d appends failed", failed.Load())
	}
	syncs := d.syncs.Load() - before
	t.Logf("%d appends to disk, %d fsyncs", workers*each*3/4, syncs)
	if syncs >= workers*each*3/4 || syncs == 0 {
		t.Errorf("%d fsyncs for %d appends to disk", syncs, workers*each*3/4)
	}
	if n := count(events(t, dir), audit.ToolDecided); n != workers*each {
		t.Errorf("%d events, want %d", n, workers*each)
	}
	verified(t, dir)
}

// An event of class process does not wait for a sync that is under way.
func TestProcessDoesNotWaitForDisk(t *testing.T) {
	gate := make(chan struct{})
	var armed atomic.Bool
	create := func(path string) (file, error) {
		f, err := createFile(path)
		return &slowSync{f, gate, &armed}, err
	}
	j := open(t, t.TempDir(), Options{create: create})
	armed.Store(true)
	done := make(chan error)
	go func() {
		_, err := j.Append(context.Background(), decided(), audit.Disk)
		done <- err
	}()
	waitQueued(j, 1)
	mustAppend(t, j, decided(), audit.Process) // would never return behind the sync
	select {
	case err := <-done:
		t.Errorf("an event to disk was acknowledged before its sync: %v", err)
	default:
	}
	armed.Store(false)
	close(gate)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type slowSync struct {
	file
	gate  chan struct{}
	armed *atomic.Bool
}

func (s *slowSync) Sync() error {
	if s.armed.Load() {
		<-s.gate
	}
	return s.file.Sync()
}

func TestSegments(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{SegmentBytes: 1000})
	var positions []audit.Position
	for i := range 50 {
		class := audit.Process
		if i%3 == 0 {
			class = audit.Disk
		}
		positions = append(positions, mustAppend(t, j, decided(), class))
	}
	ns, err := folder.Segments(dir, j.Writer())
	if err != nil || len(ns) < 5 {
		t.Fatalf("segments %v, %v", ns, err)
	}
	if last := positions[len(positions)-1]; last.Seq != 51 {
		t.Errorf("last sequence %d", last.Seq)
	}
	report := verified(t, dir)
	if report.Events != 51 || report.Writers[0].Head != positions[49].Hash {
		t.Errorf("report %+v", report)
	}
}

// The clock may do what it likes: sequence, ids and chain go on, and the event
// says what the clock said.
func TestClockStepsBack(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	j := open(t, dir, Options{Now: clock})
	for _, step := range []time.Duration{0, time.Second, -time.Hour, 0, time.Minute} {
		mu.Lock()
		now = now.Add(step)
		mu.Unlock()
		mustAppend(t, j, decided(), audit.Process)
	}
	all := events(t, dir)
	for i := 1; i < len(all); i++ {
		if all[i].Seq != all[i-1].Seq+1 || all[i].ID.String() <= all[i-1].ID.String() {
			t.Errorf("event %d after %d: ids %s, %s", all[i].Seq, all[i-1].Seq, all[i].ID, all[i-1].ID)
		}
	}
	if !all[3].Time.Equal(time.Date(2026, 9, 1, 11, 0, 1, 0, time.UTC)) {
		t.Errorf("the event after the step says %v", all[3].Time)
	}
	verified(t, dir)
}

// What a dead writer left is put in order by the next one: the torn tail is
// cut and reported, each open call is closed once, also by a third writer.
func TestDeadWriterIsSettled(t *testing.T) {
	for _, tail := range []string{"", `{"v":1,"type":"tool.dec`, "\x00\x00\x00\x00"} {
		dir := t.TempDir()
		j := open(t, dir, Options{SegmentBytes: 700})
		var open3 []*audit.Event
		for i := range 9 {
			e := decided()
			mustAppend(t, j, e, audit.Process)
			if i%3 == 0 {
				open3 = append(open3, e)
			} else {
				mustAppend(t, j, finished(e), audit.Process)
			}
		}
		last := j.current.number
		j.abandon(t.Context())
		appendText(t, folder.SegmentPath(dir, j.Writer(), last), tail)

		for range 3 {
			open(t, dir, Options{}).abandon(t.Context())
		}
		all := events(t, dir)
		if n := count(all, audit.ToolOrphaned); n != len(open3) {
			t.Errorf("tail %q: %d orphans, want %d", tail, n, len(open3))
		}
		i := 0
		for _, e := range all {
			if e.Type != audit.ToolOrphaned {
				continue
			}
			if e.Action != open3[i].Action || e.OfBoot != 1 || e.OfSeq != open3[i].Seq {
				t.Errorf("orphan %d: %+v", i, e)
			}
			i++
		}
		want := 0
		if tail != "" {
			want = 1
		}
		if n := count(all, audit.AuditRecovered); n != want {
			t.Errorf("tail %q: %d recovered events", tail, n)
		}
		verified(t, dir)
	}
}

func appendText(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process that settles the dead and dies at any step of it leaves each call
// closed exactly once in the end.
func TestDeathWhileSettling(t *testing.T) {
	for marks := range 4 {
		dir := t.TempDir()
		for range 3 {
			j, err := Open(dir, Options{Replica: "r1"})
			if err != nil {
				t.Fatal(err)
			}
			mustAppend(t, j, decided(), audit.Process)
			j.abandon(t.Context())
		}
		// As if the last one had died after so many markers.
		for boot := uint64(marks + 1); boot <= 3; boot++ {
			os.Remove(filepath.Join(dir, Writer{Replica: "r1", Boot: boot}.String(), "settled"))
		}
		open(t, dir, Options{}).abandon(t.Context())
		seen := map[audit.ID]int{}
		for _, e := range events(t, dir) {
			if e.Type == audit.ToolOrphaned {
				seen[e.Action]++
			}
		}
		if len(seen) != 3 {
			t.Errorf("after %d markers: %d calls closed, want 3", marks, len(seen))
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("after %d markers: %s closed %d times", marks, id, n)
			}
		}
	}
}

// A decided call that was refused after all, because its record came too late,
// was never sent: it is no orphan.
func TestRefusedIsNoOrphan(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	e := decided()
	mustAppend(t, j, e, audit.Process)
	refused := audit.Event{Type: audit.ToolRefused, Action: e.Action, Code: gateway.CodeAuditUnavailable}
	mustAppend(t, j, &refused, audit.Process)
	j.abandon(t.Context())
	open(t, dir, Options{})
	if n := count(events(t, dir), audit.ToolOrphaned); n != 0 {
		t.Errorf("%d orphans", n)
	}
}

// A live writer is left alone, and settled once it is dead, by a process that
// was there before.
func TestSettleDeadLater(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, Options{})
	second := open(t, dir, Options{})
	mustAppend(t, second, decided(), audit.Process)
	if err := first.SettleDead(); err != nil {
		t.Fatal(err)
	}
	if n := count(events(t, dir), audit.ToolOrphaned); n != 0 {
		t.Fatalf("%d calls of a live writer were closed", n)
	}
	second.abandon(t.Context())
	for range 2 {
		if err := first.SettleDead(); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(events(t, dir), audit.ToolOrphaned); n != 1 {
		t.Errorf("%d orphans, want 1", n)
	}
	verified(t, dir)
}

// A subscription that was open when its gateway was killed is closed by the next
// one, once, and one that was closed is left alone.
func TestDeadSubscriptionIsClosed(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, Options{})
	left := &audit.Event{Type: audit.SubscriptionOpened, Action: audit.NewID(time.Now())}
	ended := &audit.Event{Type: audit.SubscriptionOpened, Action: audit.NewID(time.Now().Add(time.Second))}
	mustAppend(t, j, left, audit.Process)
	mustAppend(t, j, ended, audit.Process)
	mustAppend(t, j, &audit.Event{Type: audit.SubscriptionClosed, Action: ended.Action}, audit.Process)
	if err := j.abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		open(t, dir, Options{}).abandon(t.Context())
	}
	var closed []audit.Event
	for _, e := range events(t, dir) {
		if e.Type == audit.SubscriptionClosed && e.OfBoot != 0 {
			closed = append(closed, e)
		}
	}
	if len(closed) != 1 || closed[0].Action != left.Action || closed[0].OfSeq != left.Seq || closed[0].Reasons[0] != gateway.ReasonWriterDied {
		t.Errorf("closed %+v", closed)
	}
	verified(t, dir)
}
