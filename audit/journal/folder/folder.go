package folder

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

	"mcp-gateway/audit"
)

// The names of what lies in a journal and in a writer's folder.
const (
	lockName    = "lock"
	settledName = "settled"
	segmentExt  = ".jsonl"
	sealName    = "checkpoints"
)

// Writer names one opening of the journal.
type Writer struct {
	Replica audit.Ident
	Boot    uint64
}

// String returns the name of the writer's folder; boots sort as they were taken.
func (w Writer) String() string { return fmt.Sprintf("%s-%06d", w.Replica, w.Boot) }

// ParseWriter is the inverse of Writer.String; false for what is no writer.
func ParseWriter(name string) (Writer, bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 {
		return Writer{}, false
	}
	boot, err := strconv.ParseUint(name[i+1:], 10, 64)
	w := Writer{audit.Ident(name[:i]), boot}
	return w, err == nil && w.String() == name
}

// Writers lists the writers of the journal by boot. Boots are numbered over all
// replicas of one directory, so a later one has the higher number.
func Writers(dir string) ([]Writer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var ws []Writer
	for _, e := range entries {
		if w, ok := ParseWriter(e.Name()); ok && e.IsDir() {
			ws = append(ws, w)
		}
	}
	slices.SortFunc(ws, compareWriters)
	return ws, nil
}

func compareWriters(a, b Writer) int {
	return cmp.Or(cmp.Compare(a.Boot, b.Boot), cmp.Compare(a.Replica, b.Replica))
}

// SegmentName returns the name of the n-th segment; they count from 1.
func SegmentName(n int) string { return fmt.Sprintf("%06d%s", n, segmentExt) }

// SegmentPath returns where the writer's n-th segment lies.
func SegmentPath(dir string, w Writer, n int) string {
	return filepath.Join(dir, w.String(), SegmentName(n))
}

// CheckpointPath returns where the writer's checkpoints lie.
func CheckpointPath(dir string, w Writer) string { return filepath.Join(dir, w.String(), sealName) }

// Segments lists the numbers of the writer's segments, ascending.
func Segments(dir string, w Writer) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, w.String()))
	if err != nil {
		return nil, err
	}
	var ns []int
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), segmentExt)
		if n, err := strconv.Atoi(name); ok && err == nil && SegmentName(n) == e.Name() {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns, nil
}

// Head is a whole event that another may be chained to.
type Head struct {
	Writer Writer
	Seq    uint64
	Hash   audit.Hash
}

// LastEvent returns the writer's last whole event, ok false if it wrote none. A
// line that is no event is passed over: Verify speaks of it, and it must not
// keep a gateway from starting.
func LastEvent(dir string, w Writer) (h Head, ok bool, err error) {
	ns, err := Segments(dir, w)
	if err != nil {
		return Head{}, false, err
	}
	for _, n := range slices.Backward(ns) {
		e, line, ok, err := lastOf(SegmentPath(dir, w, n))
		if ok || err != nil {
			return Head{w, e.Seq, HashOf(line)}, ok, err
		}
	}
	return Head{}, false, nil
}

// LastIn returns the last whole event of a segment, ok false if there is none.
func LastIn(path string) (e audit.Event, ok bool, err error) {
	e, _, ok, err = lastOf(path)
	return e, ok, err
}

func lastOf(path string) (e audit.Event, line []byte, ok bool, err error) {
	text, err := tail(path)
	if err != nil {
		return e, nil, false, err
	}
	lines := strings.Split(text, "\n")
	for _, l := range slices.Backward(lines[:len(lines)-1]) {
		if audit.Decode([]byte(l), &e) == nil {
			return e, []byte(l), true, nil
		}
	}
	return audit.Event{}, nil, false, nil
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
	b := make([]byte, min(info.Size(), 2*MaxLine))
	if n, err := f.ReadAt(b, info.Size()-int64(len(b))); n < len(b) {
		return "", err
	}
	return string(b), f.Sync()
}

// Predecessor returns the last event of the replica's newest boot that has any.
func Predecessor(dir string, ws []Writer, replica audit.Ident) (Head, bool, error) {
	for _, w := range slices.Backward(ws) {
		if w.Replica != replica {
			continue
		}
		h, ok, err := LastEvent(dir, w)
		if ok || err != nil {
			return h, ok, err
		}
	}
	return Head{}, false, nil
}

// Settled says that the writer is dead, nothing of it is open, and it will never
// have another event.
func Settled(dir string, w Writer) bool {
	_, err := os.Stat(filepath.Join(dir, w.String(), settledName))
	return err == nil
}

// Settle makes it so, durably.
func Settle(dir string, w Writer) error {
	path := filepath.Join(dir, w.String())
	f, err := os.OpenFile(filepath.Join(path, settledName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), SyncDir(path))
}

// SyncDir makes the names in a folder durable.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDir makes a folder, and its name durable, unless it is there.
func MakeDir(path string) error {
	err := os.MkdirAll(path, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// HashOf returns what the next event is chained to.
func HashOf(line []byte) audit.Hash { return sha256.Sum256(line) }
