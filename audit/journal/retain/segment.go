package retain

import (
	"context"
	"errors"
	"os"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/checkpoint"
	"mcp-gateway/audit/journal/folder"
)

// ErrNotWhole says that a segment is kept because it does not verify.
var ErrNotWhole = errors.New("retain: a segment does not verify and is kept")

// errNotYet says that a segment stays until something stands behind it.
var errNotYet = errors.New("retain: nothing stands behind the segment yet")

// segment is one that may be removed.
type segment struct {
	writer folder.Writer
	number int
	path   string
	size   int64
	newest time.Time // of its last event
	next   string    // path of the segment behind it; "" = none
}

// last is the last event of a segment.
type last struct {
	seq    uint64
	hash   audit.Hash
	events uint64
}

// look reads how large a segment is and when its last event came.
func look(dir string, w folder.Writer, n int) (segment, error) {
	s := segment{writer: w, number: n, path: folder.SegmentPath(dir, w, n)}
	info, err := os.Stat(s.path)
	if err != nil {
		return s, err
	}
	s.size = info.Size()
	e, ok, err := folder.LastIn(s.path)
	if err == nil && ok {
		s.newest = e.Time
	}
	return s, err
}

// prove walks a segment: each event chained to the one before, none against a
// checkpoint, and the segment behind it chained to its end.
func (s *segment) prove(ctx context.Context, seals map[uint64]audit.Hash) (last, error) {
	var end last
	err := folder.EachLine(s.path, 0, func(l folder.Line) error {
		var e audit.Event
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case !l.Whole, audit.Decode(l.Bytes, &e) != nil, e.Replica != s.writer.Replica, e.Boot != s.writer.Boot:
			return ErrNotWhole
		case end.events > 0 && (e.Seq != end.seq+1 || e.Prev != end.hash):
			return ErrNotWhole
		}
		end = last{e.Seq, folder.HashOf(l.Bytes), end.events + 1}
		if want, sealed := seals[e.Seq]; sealed && want != end.hash {
			return ErrNotWhole
		}
		return nil
	})
	if err == nil && end.events == 0 {
		err = ErrNotWhole
	}
	if err == nil && s.next != "" {
		err = follows(s.next, end)
	}
	return end, err
}

// follows says that the first event of a segment is chained to the end of the one
// before.
func follows(path string, end last) error {
	err := folder.EachLine(path, 0, func(l folder.Line) error {
		var e audit.Event
		if !l.Whole || audit.Decode(l.Bytes, &e) != nil || e.Seq != end.seq+1 || e.Prev != end.hash {
			return ErrNotWhole
		}
		return folder.ErrStop
	})
	switch {
	case errors.Is(err, folder.ErrStop):
		return nil
	case err == nil:
		return errNotYet
	default:
		return err
	}
}

// sealed returns the writer's checkpoints that a key of ours signed.
func sealed(dir string, w folder.Writer, keys checkpoint.Keys) (map[uint64]audit.Hash, uint64, error) {
	notes, err := checkpoint.Read(folder.CheckpointPath(dir, w))
	all, reach := map[uint64]audit.Hash{}, uint64(0)
	for _, note := range notes {
		c, err := keys.Open(note)
		if err == nil && c.Replica == w.Replica && c.Boot == w.Boot {
			all[c.Seq], reach = c.Hash, max(reach, c.Seq)
		}
	}
	return all, reach, err
}
