package folder

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"mcp-gateway/audit"
)

// Place is a place in a writer's segments.
type Place struct {
	Segment int
	Offset  int64
}

// Before says whether p comes before q.
func (p Place) Before(q Place) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.Offset < q.Offset
}

// Cursor says for each writer up to where it was read. The zero Place is its
// beginning.
type Cursor map[Writer]Place

// Reached says whether everything up to end was read.
func (c Cursor) Reached(end Cursor) bool {
	for w, p := range end {
		if c[w].Before(p) {
			return false
		}
	}
	return true
}

// Clone returns a copy.
func (c Cursor) Clone() Cursor { return maps.Clone(c) }

// Entry is one event with its place and the place after it. Event is valid
// during the call only.
type Entry struct {
	Writer Writer
	Place  Place
	Next   Place
	Event  *audit.Event
}

// ErrBehind says that a cursor points behind the end of its segment, as when
// the machine died and took events with it that were only in memory: whatever
// was built up to that cursor must be built again.
var ErrBehind = errors.New("journal: cursor points behind the end of a segment")

// Read calls yield for each event from the cursor on, by writer in the order of
// boots and in each writer in sequence, until the ends found at the time of
// reading, and moves the cursor along. It reads live writers too, but only
// their whole lines. Lines that are no events are passed over: it is Verify
// that judges a journal. An error of yield ends the reading and is returned.
func Read(ctx context.Context, dir string, cursor Cursor, yield func(Entry) error) error {
	ws, err := Writers(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, w := range ws {
		if err := ReadWriter(ctx, dir, w, cursor, yield); err != nil {
			return err
		}
	}
	return nil
}

// ReadWriter is Read for one writer.
func ReadWriter(ctx context.Context, dir string, w Writer, cursor Cursor, yield func(Entry) error) error {
	ns, err := Segments(dir, w)
	if err != nil {
		return err
	}
	for _, n := range ns {
		from := cursor[w]
		if n < from.Segment {
			continue
		}
		if n > from.Segment {
			from = Place{Segment: n}
		}
		err := readSegment(ctx, dir, w, from, cursor, yield)
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && removedSince(dir, w, n)) {
			return err
		}
	}
	return nil
}

// removedSince says that retention removed the segment after it was listed.
func removedSince(dir string, w Writer, n int) bool {
	ns, err := Segments(dir, w)
	return err == nil && !slices.Contains(ns, n)
}

func readSegment(ctx context.Context, dir string, w Writer, from Place, cursor Cursor, yield func(Entry) error) error {
	path := SegmentPath(dir, w, from.Segment)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Size() < from.Offset:
		return ErrBehind
	}
	cursor[w] = from // also where no whole line follows yet
	var e audit.Event
	return EachLine(path, from.Offset, func(l Line) error {
		if err := ctx.Err(); err != nil || !l.Whole {
			return err
		}
		entry := Entry{w, Place{from.Segment, l.At}, Place{from.Segment, l.Next}, &e}
		if audit.Decode(l.Bytes, &e) == nil {
			if err := yield(entry); err != nil {
				return err
			}
		}
		cursor[w] = entry.Next
		return nil
	})
}

// Ends returns the end of each writer's whole lines as it is now. Writers that
// done says are read to their end are left out, so that a folder with many dead
// ones stays cheap to ask.
func Ends(dir string, done func(Writer) bool) (Cursor, error) {
	ws, err := Writers(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ends := Cursor{}
	for _, w := range ws {
		if done != nil && done(w) {
			continue
		}
		end, err := endOf(dir, w)
		if err != nil {
			return nil, err
		}
		ends[w] = end
	}
	return ends, nil
}

// endOf returns the end of the writer's last whole line.
func endOf(dir string, w Writer) (Place, error) {
	ns, err := Segments(dir, w)
	if err != nil || len(ns) == 0 {
		return Place{}, err
	}
	n := ns[len(ns)-1]
	f, err := os.Open(SegmentPath(dir, w, n))
	if err != nil {
		return Place{}, err
	}
	defer f.Close()
	end, err := wholeSize(f)
	return Place{n, end}, err
}

// At returns the event at the place, for whoever kept places only.
func At(dir string, w Writer, p Place) (audit.Event, error) {
	var e audit.Event
	err := EachLine(SegmentPath(dir, w, p.Segment), p.Offset, func(l Line) error {
		if err := audit.Decode(l.Bytes, &e); err != nil {
			return err
		}
		return ErrStop
	})
	switch {
	case errors.Is(err, ErrStop):
		return e, nil
	case err == nil:
		return e, ErrBehind
	default:
		return e, err
	}
}

// Writers lists the writers of the cursor by boot.
func (c Cursor) Writers() []Writer {
	return slices.SortedFunc(maps.Keys(c), compareWriters)
}

// Bytes returns how many bytes the writer's segments have; what cannot be read
// counts as nothing.
func Bytes(dir string, w Writer) uint64 { return BytesFrom(dir, w, Place{}) }

// BytesFrom likewise counts those from a place on.
func BytesFrom(dir string, w Writer, from Place) uint64 {
	ns, err := Segments(dir, w)
	if err != nil {
		return 0
	}
	var total int64
	for _, n := range ns {
		info, err := os.Stat(SegmentPath(dir, w, n))
		if err != nil || n < from.Segment {
			continue
		}
		total += info.Size()
		if n == from.Segment {
			total -= min(from.Offset, info.Size())
		}
	}
	return uint64(total)
}
