package journal

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"mcp-gateway/audit"
)

// The names of what lies in a journal and in a writer's folder.
const (
	lockName    = "lock"
	settledName = "settled"
	segmentExt  = ".jsonl"
)

// Writer names one opening of the journal.
type Writer struct {
	Replica audit.Ident
	Boot    uint64
}

// String returns the name of the writer's folder; boots sort as they were taken.
func (w Writer) String() string { return fmt.Sprintf("%s-%06d", w.Replica, w.Boot) }

// parseWriter is the inverse of Writer.String.
func parseWriter(name string) (Writer, bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 {
		return Writer{}, false
	}
	boot, err := strconv.ParseUint(name[i+1:], 10, 64)
	w := Writer{audit.Ident(name[:i]), boot}
	return w, err == nil && w.String() == name
}

// writers lists the writers of the journal by boot. Boots are numbered over all
// replicas of one directory, so a later one has the higher number.
func writers(dir string) ([]Writer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var ws []Writer
	for _, e := range entries {
		if w, ok := parseWriter(e.Name()); ok && e.IsDir() {
			ws = append(ws, w)
		}
	}
	slices.SortFunc(ws, compareWriters)
	return ws, nil
}

func compareWriters(a, b Writer) int {
	return cmp.Or(cmp.Compare(a.Boot, b.Boot), cmp.Compare(a.Replica, b.Replica))
}

func segmentName(n int) string { return fmt.Sprintf("%06d%s", n, segmentExt) }

func segmentPath(dir string, w Writer, n int) string {
	return filepath.Join(dir, w.String(), segmentName(n))
}

// segments lists the numbers of the writer's segments, ascending.
func segments(dir string, w Writer) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, w.String()))
	if err != nil {
		return nil, err
	}
	var ns []int
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), segmentExt)
		if n, err := strconv.Atoi(name); ok && err == nil && segmentName(n) == e.Name() {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns, nil
}

// head is a whole event that another may be chained to.
type head struct {
	writer Writer
	seq    uint64
	hash   audit.Hash
}

// lastEvent returns the writer's last whole event, ok false if it wrote none. A
// line that is no event is passed over: Verify speaks of it, and it must not
// keep a gateway from starting.
func lastEvent(dir string, w Writer) (h head, ok bool, err error) {
	ns, err := segments(dir, w)
	if err != nil {
		return head{}, false, err
	}
	for _, n := range slices.Backward(ns) {
		text, err := tail(segmentPath(dir, w, n))
		if err != nil {
			return head{}, false, err
		}
		lines := strings.Split(text, "\n")
		for _, l := range slices.Backward(lines[:len(lines)-1]) {
			var e audit.Event
			if audit.Decode([]byte(l), &e) == nil {
				return head{w, e.Seq, hashOf([]byte(l))}, true, nil
			}
		}
	}
	return head{}, false, nil
}

// tail returns the last bytes of a segment. It syncs the file first, so that
// nothing is ever chained to an event that a power cut could still take away.
func tail(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	b := make([]byte, min(info.Size(), 2*maxLine))
	if n, err := f.ReadAt(b, info.Size()-int64(len(b))); n < len(b) {
		return "", err
	}
	return string(b), f.Sync()
}

// predecessor returns the last event of the replica's newest boot that has any.
func predecessor(dir string, ws []Writer, replica audit.Ident) (head, bool, error) {
	for _, w := range slices.Backward(ws) {
		if w.Replica != replica {
			continue
		}
		h, ok, err := lastEvent(dir, w)
		if ok || err != nil {
			return h, ok, err
		}
	}
	return head{}, false, nil
}

// Lock is a file lock of this process (flock). It ends with the process.
type Lock struct{ f *os.File }

// ErrLocked says that another holder has the lock.
var ErrLocked = errors.New("journal: locked by another holder")

// TryLock takes the lock of the file, which it makes when it is missing, or
// returns ErrLocked at once.
func TryLock(path string) (*Lock, error) { return lock(path, unix.LOCK_EX|unix.LOCK_NB) }

func lock(path string, how int) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return &Lock{f}, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return nil, err
}

// Unlock gives the lock back.
func (l *Lock) Unlock() error { return l.f.Close() }

// alive says whether the writer's lock is held. It works on a read-only copy,
// where nobody holds it.
func alive(dir string, w Writer) bool {
	f, err := os.Open(filepath.Join(dir, w.String(), lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

func settled(dir string, w Writer) bool {
	_, err := os.Stat(filepath.Join(dir, w.String(), settledName))
	return err == nil
}

// syncDir makes the names in a folder durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a folder, and its name durable, unless it is there.
func makeDir(path string) error {
	err := os.MkdirAll(path, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func hashOf(line []byte) audit.Hash { return sha256.Sum256(line) }
