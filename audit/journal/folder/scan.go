package folder

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// MaxLine bounds a line. An event has at most about 8 KiB; what is longer is
// no event.
const MaxLine = 64 << 10

// ErrStop ends eachLine early.
var ErrStop = errors.New("stop")

// Line is one line of a segment, without its line break. Bytes are valid until
// the next is read.
type Line struct {
	Bytes []byte
	At    int64 // offset of its first byte
	Next  int64 // offset of the line after it
	Whole bool  // ended by a line break: false only for a torn tail
}

// EachLine calls yield for every line of the segment from the offset on. A line
// over MaxLine comes with nil bytes.
func EachLine(path string, from int64, yield func(Line) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, MaxLine)
	for at := from; ; {
		l, err := nextLine(r, at)
		if err != nil || l.Next == at {
			return err
		}
		if err := yield(l); err != nil {
			return err
		}
		at = l.Next
	}
}

// nextLine reads one line; at the end of the file it is empty.
func nextLine(r *bufio.Reader, at int64) (Line, error) {
	b, err := r.ReadSlice('\n')
	l := Line{Bytes: b, At: at, Next: at + int64(len(b))}
	for errors.Is(err, bufio.ErrBufferFull) {
		b, err = r.ReadSlice('\n')
		l.Bytes, l.Next = nil, l.Next+int64(len(b))
	}
	switch {
	case err == nil:
		l.Whole = true
		if l.Bytes != nil {
			l.Bytes = l.Bytes[:len(l.Bytes)-1]
		}
		return l, nil
	case errors.Is(err, io.EOF):
		return l, nil
	default:
		return l, err
	}
}

// wholeSize returns the size of the file up to its last line break.
func wholeSize(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	b := make([]byte, 4<<10)
	for end := info.Size(); end > 0; {
		from := max(0, end-int64(len(b)))
		n, err := f.ReadAt(b[:end-from], from)
		if int64(n) < end-from {
			return 0, err
		}
		if i := bytes.LastIndexByte(b[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}
