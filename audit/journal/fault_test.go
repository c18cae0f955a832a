package journal

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/gateway"
)

// disk is where faulty files lie: a real directory whose writes and syncs can
// be made to fail.
type disk struct {
	mu    sync.Mutex
	room  int   // bytes that still fit; negative = no bound
	sync  error // of every fsync
	hang  chan struct{}
	files int
	syncs atomic.Int64
}

func (d *disk) create(path string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files++
	f, err := createFile(path)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file: f, disk: d}, nil
}

func (d *disk) set(room int, syncErr error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room, d.sync = room, syncErr
}

type faultyFile struct {
	file
	disk *disk
}

func (f *faultyFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	hang := f.disk.hang
	f.disk.mu.Unlock()
	if hang != nil {
		<-hang
	}
	f.disk.mu.Lock()
	room := f.disk.room // as it is when the disk goes on
	f.disk.mu.Unlock()
	if room < 0 || room >= len(p) {
		return f.file.Write(p)
	}
	n, err := f.file.Write(p[:room])
	f.disk.set(0, nil)
	return n, errors.Join(err, unix.ENOSPC)
}

func (f *faultyFile) Sync() error {
	f.disk.syncs.Add(1)
	f.disk.mu.Lock()
	err := f.disk.sync
	f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	return f.file.Sync()
}

// open opens a journal that is closed with the test.
func open(t testing.TB, dir string, opts Options) *Journal {
	t.Helper()
	if opts.Replica == "" {
		opts.Replica = "r1"
	}
	j, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.abandon(context.Background()) })
	return j
}

func decided() *audit.Event {
	return &audit.Event{Type: audit.ToolDecided, Action: audit.NewID(time.Now()), Tool: "a__b", Effect: gateway.Allow}
}

func finished(e *audit.Event) *audit.Event {
	return &audit.Event{Type: audit.ToolFinished, Action: e.Action, Outcome: gateway.OutcomeCommitted}
}

func mustAppend(t testing.TB, j *Journal, e *audit.Event, class audit.Durability) audit.Position {
	t.Helper()
	pos, err := j.Append(context.Background(), e, class)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

func wantUnavailable(t testing.TB, err error) {
	t.Helper()
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.CodeAuditUnavailable {
		t.Fatalf("got %v, want %s", err, gateway.CodeAuditUnavailable)
	}
}

// events reads the whole journal.
func events(t testing.TB, dir string) []audit.Event {
	t.Helper()
	var all []audit.Event
	err := folder.Read(context.Background(), dir, folder.Cursor{}, func(e folder.Entry) error {
		all = append(all, *e.Event)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func count(all []audit.Event, typ audit.Type) int {
	n := 0
	for _, e := range all {
		if e.Type == typ {
			n++
		}
	}
	return n
}

func verified(t testing.TB, dir string) Report {
	t.Helper()
	report, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		t.Fatalf("problems: %+v", report.Problems)
	}
	return report
}

// On a full disk appends fail, each with its code; what was whole stays, the
// torn tail is cut, and once there is room the chain goes on in a new segment
// with audit.recovered. No event that was refused comes to stand in it.
func TestDiskFull(t *testing.T) {
	for _, torn := range []int{0, 1, 150} {
		d := &disk{room: -1}
		dir := t.TempDir()
		j := open(t, dir, Options{create: d.create})
		mustAppend(t, j, decided(), audit.Process)
		d.set(torn, nil)
		for range 3 {
			_, err := j.Append(t.Context(), decided(), audit.Disk)
			wantUnavailable(t, err)
			if !errors.Is(err, unix.ENOSPC) {
				t.Errorf("the cause is %v", err)
			}
		}
		d.set(-1, nil)
		mustAppend(t, j, decided(), audit.Disk)
		all := events(t, dir)
		if n := count(all, audit.ToolDecided); n != 2 {
			t.Errorf("torn %d: %d decided events, want the 2 acknowledged ones", torn, n)
		}
		if n := count(all, audit.AuditRecovered); n != 1 {
			t.Errorf("torn %d: %d recovered events", torn, n)
		}
		for _, e := range all {
			if e.Type == audit.AuditRecovered && e.CutBytes != uint64(torn) {
				t.Errorf("cut %d bytes, want %d", e.CutBytes, torn)
			}
		}
		if torn > 0 && d.files != 2 {
			t.Errorf("torn %d: %d segments, want 2", torn, d.files)
		}
		verified(t, dir)
	}
}

// Of a write that ends midway, the events that are whole in the file count and
// the others fail: nobody is told otherwise than what stands there.
func TestPartOfABatchFits(t *testing.T) {
	d := &disk{room: -1, hang: make(chan struct{})}
	close(d.hang)
	dir := t.TempDir()
	j := open(t, dir, Options{create: d.create})
	gate := make(chan struct{})
	d.mu.Lock()
	d.hang = gate
	d.mu.Unlock()

	type answer struct {
		pos audit.Position
		err error
	}
	answers := make(chan answer, 40)
	for range cap(answers) {
		go func() {
			pos, err := j.Append(context.Background(), decided(), audit.Process)
			answers <- answer{pos, err}
		}()
	}
	waitQueued(j, cap(answers))
	d.set(4000, nil)
	close(gate)
	acknowledged := map[uint64]bool{}
	failed := 0
	for range cap(answers) {
		if a := <-answers; a.err == nil {
			acknowledged[a.pos.Seq] = true
		} else {
			failed++
		}
	}
	d.set(-1, nil)
	mustAppend(t, j, finished(decided()), audit.Disk)
	stand := 0
	for _, e := range events(t, dir) {
		if e.Type != audit.ToolDecided {
			continue
		}
		stand++
		if !acknowledged[e.Seq] {
			t.Errorf("event %d stands there and was refused", e.Seq)
		}
	}
	if stand != len(acknowledged) || failed == 0 || stand == 0 {
		t.Errorf("%d stand, %d acknowledged, %d failed", stand, len(acknowledged), failed)
	}
	verified(t, dir)
}

// waitQueued returns once n appends are encoded, one of them possibly already
// in the hands of the committer.
func waitQueued(j *Journal, n int) {
	for {
		j.mu.Lock()
		seq := j.chain.seq
		j.mu.Unlock()
		if seq >= uint64(n)+1 {
			return
		}
		runtime.Gosched()
	}
}

// After a failed fsync nothing on that segment is promised again: those who
// wait fail, and the next go to a new segment.
func TestSyncFails(t *testing.T) {
	d := &disk{room: -1}
	dir := t.TempDir()
	j := open(t, dir, Options{create: d.create})
	d.set(-1, unix.EIO)
	_, err := j.Append(t.Context(), decided(), audit.Disk)
	wantUnavailable(t, err)
	d.set(-1, nil)
	pos := mustAppend(t, j, decided(), audit.Disk)
	if d.files != 2 {
		t.Errorf("%d segments, want 2", d.files)
	}
	all := events(t, dir)
	if count(all, audit.AuditRecovered) != 1 || all[len(all)-1].Seq != pos.Seq {
		t.Errorf("events: %+v", all)
	}
	verified(t, dir)
}

// A disk that hangs can't hold a caller beyond its deadline, nor make the
// gateway gather events without bound.
func TestDiskHangs(t *testing.T) {
	d := &disk{room: -1}
	dir := t.TempDir()
	j := open(t, dir, Options{create: d.create})
	gate := make(chan struct{})
	d.mu.Lock()
	d.hang = gate
	d.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := j.Append(ctx, decided(), audit.Process)
		done <- err
	}()
	waitQueued(j, 1)
	cancel()
	err := <-done
	wantUnavailable(t, err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is %v", err)
	}
	for err = nil; !errors.Is(err, ErrBacklog); {
		if _, err = j.Append(ctx, decided(), audit.Process); err == nil {
			t.Fatal("an append succeeded on a disk that hangs")
		}
	}
	if err := j.abandon(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("closing waited for the disk: %v", err)
	}
	close(gate)
	<-j.ended
	j.lock.Unlock()
	verified(t, dir)
}

// A directory that may not be written to keeps a gateway from opening its
// journal at all.
func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, Options{})
	path := dir + "/made-read-only"
	if err := os.Mkdir(path, 0o500); err != nil {
		t.Fatal(err)
	}
	if unix.Geteuid() == 0 && !makeImmutable(t, path) {
		t.Log("not run: permissions don't bind this user, and no read-only mount may be made")
		return
	}
	if j, err := Open(path, Options{Replica: "r1"}); err == nil {
		j.abandon(t.Context())
		t.Error("a journal was opened in a read-only directory")
	}
}

// makeImmutable makes the directory read-only for root too, by a bind mount.
func makeImmutable(t *testing.T, path string) bool {
	if unix.Mount(path, path, "", unix.MS_BIND, "") != nil {
		return false
	}
	t.Cleanup(func() { unix.Unmount(path, unix.MNT_DETACH) })
	return unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil
}

// A small real file system that is full gives the same as the injected one.
func TestRealDiskFull(t *testing.T) {
	dir := t.TempDir()
	if unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k") != nil {
		t.Log("not run: no file system may be mounted here")
		return
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	j := open(t, dir+"/journal", Options{})
	var err error
	acknowledged := 0
	for ; err == nil; acknowledged++ {
		_, err = j.Append(t.Context(), decided(), audit.Disk)
	}
	wantUnavailable(t, err)
	acknowledged--
	if n := count(events(t, dir+"/journal"), audit.ToolDecided); n != acknowledged {
		t.Errorf("%d events stand, %d were acknowledged", n, acknowledged)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, decided(), audit.Disk)
	all := events(t, dir+"/journal")
	if n := count(all, audit.ToolDecided); n != acknowledged+1 || count(all, audit.AuditRecovered) != 1 {
		t.Errorf("%d decided, %d recovered", n, count(all, audit.AuditRecovered))
	}
	verified(t, dir+"/journal")
}
