package compare

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index/cell"
	"mcp-gateway/audit/journal/folder"
	"mcp-gateway/audit/journal/verify"
)

// Against holds what an index held against the journal in dir, which was verified after
// the index was read. At most one problem a writer: verify.IndexDiffers at the first event
// that one has and the other has not, up to where the index had read; verify.Missing for a
// writer that only the index knows. Writers of which the journal itself has a problem are
// passed over.
func (h Held) Against(dir string, r *verify.Report) ([]verify.Problem, error) {
	reports := map[folder.Writer]*verify.WriterReport{}
	for i := range r.Writers {
		reports[r.Writers[i].Writer] = &r.Writers[i]
	}
	writers := slices.SortedFunc(maps.Keys(h), func(a, b folder.Writer) int {
		return cmp.Or(cmp.Compare(a.Boot, b.Boot), cmp.Compare(a.Replica, b.Replica))
	})
	var found []verify.Problem
	for _, w := range writers {
		if _, broken := r.First(w); broken || reports[w] == nil && h[w].last == 0 {
			continue
		}
		if reports[w] == nil {
			found = append(found, verify.Problem{Kind: verify.Missing, Writer: w, Seq: 1})
			continue
		}
		o := one{dir, w, h[w], reports}
		seq, err := o.differs()
		if err != nil {
			return nil, err
		}
		if seq > 0 {
			found = append(found, verify.Problem{Kind: verify.IndexDiffers, Writer: w, Seq: seq})
		}
	}
	return found, nil
}

// one is the comparison of one writer.
type one struct {
	dir     string
	writer  folder.Writer
	held    *events
	reports map[folder.Writer]*verify.WriterReport
}

// differs returns the first event that differs, 0 if none does.
func (o *one) differs() (uint64, error) {
	r := o.reports[o.writer]
	switch {
	case r.Events == 0 && r.Removed != nil:
		return 0, nil // retention removed all of it
	case o.held.last > r.Last:
		return r.Last + 1, nil
	case o.held.twice >= r.First:
		return o.held.twice, nil
	}
	upto, err := o.reach()
	if err != nil {
		return 0, err
	}
	for seq := r.First; seq <= min(upto, r.Last); seq++ {
		if o.held.rows.has(seq) || o.held.ends.has(seq) {
			continue
		}
		if known, err := o.explained(seq); err != nil || !known {
			return seq, err
		}
	}
	return 0, nil
}

// reach returns the last event before the place up to which the index has read; 0 where
// retention has removed that.
func (o *one) reach() (uint64, error) {
	if o.held.read.Segment == 0 {
		return 0, nil
	}
	path := folder.SegmentPath(o.dir, o.writer, o.held.read.Segment)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var last []byte
	err := folder.EachLine(path, 0, func(l folder.Line) error {
		if !l.Whole || l.Next > o.held.read.Offset {
			return folder.ErrStop
		}
		last = append(last[:0], l.Bytes...)
		return nil
	})
	if err != nil && !errors.Is(err, folder.ErrStop) {
		return 0, err
	}
	if last == nil { // the segment is begun and nothing of it was read: all before it was
		ns, err := folder.Segments(o.dir, o.writer)
		i := slices.Index(ns, o.held.read.Segment)
		if err != nil || i <= 0 {
			return 0, err
		}
		e, _, err := folder.LastIn(folder.SegmentPath(o.dir, o.writer, ns[i-1]))
		return e.Seq, err
	}
	var e audit.Event
	if audit.Decode(last, &e) != nil {
		return 0, nil
	}
	return e.Seq, nil
}

// explained says that an event has no row for a reason: it ends a call whose row retention
// took, or is gone by now itself.
func (o *one) explained(seq uint64) (bool, error) {
	e, _, err := folder.Find(o.dir, o.writer, seq)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if e.Action.IsZero() || !cell.Settles(&e) {
		return false, nil
	}
	began := o.writer
	if e.OfBoot != 0 {
		began = folder.Writer{Replica: e.OfReplica, Boot: e.OfBoot}
	}
	r := o.reports[began]
	if r == nil || r.Events == 0 {
		return true, nil
	}
	if r.First <= 1 {
		return false, nil
	}
	first, _, err := folder.Find(o.dir, began, r.First)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return !e.Action.Time().After(first.Time), err
}
