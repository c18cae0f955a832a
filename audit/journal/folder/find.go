package folder

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"mcp-gateway/audit"
)

// Find returns the writer's event of that number with its line, which names its
// hash. fs.ErrNotExist says that it is not here.
func Find(dir string, w Writer, seq uint64) (audit.Event, []byte, error) {
	ns, err := Segments(dir, w)
	if err != nil {
		return audit.Event{}, nil, err
	}
	for _, n := range slices.Backward(ns) {
		path := SegmentPath(dir, w, n)
		first, err := firstSeq(path)
		if err != nil {
			return audit.Event{}, nil, err
		}
		if first == 0 || first > seq {
			continue
		}
		return findIn(path, seq)
	}
	return audit.Event{}, nil, fs.ErrNotExist
}

// firstSeq is the number of a segment's first event, 0 if it has none.
func firstSeq(path string) (uint64, error) {
	var seq uint64
	err := EachLine(path, 0, func(l Line) error {
		var e audit.Event
		if l.Whole && audit.Decode(l.Bytes, &e) == nil {
			seq = e.Seq
			return ErrStop
		}
		return nil
	})
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return seq, err
}

// head is how far into a line its number stands at most: behind version and type.
const head = 80

func findIn(path string, seq uint64) (audit.Event, []byte, error) {
	var e audit.Event
	var line []byte
	// Most lines need not be decoded to be passed over.
	mark := []byte(`,"seq":` + strconv.FormatUint(seq, 10) + `,`)
	err := EachLine(path, 0, func(l Line) error {
		if !l.Whole || !bytes.Contains(l.Bytes[:min(head, len(l.Bytes))], mark) || audit.Decode(l.Bytes, &e) != nil || e.Seq != seq {
			return nil
		}
		line = bytes.Clone(l.Bytes)
		return ErrStop
	})
	switch {
	case errors.Is(err, ErrStop):
		return e, line, nil
	case err == nil:
		return audit.Event{}, nil, fs.ErrNotExist
	default:
		return audit.Event{}, nil, err
	}
}
