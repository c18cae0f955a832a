package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	readBuffer = 64 << 10 // most messages fit, and are copied once
	edge       = 1 << 10  // bytes kept of each end of a line that is too long
	endless    = 4        // a line this many times over the cap is given up on
)

// ErrEndless is returned for a line that goes on far beyond the cap; the stream
// is then of no further use.
var ErrEndless = errors.New("line without end")

// TooLongError is returned once for a line beyond the cap. The line has been
// skipped; its two ends were kept so that the reader may tell whose it was.
type TooLongError struct {
	Head, Tail []byte
	Size       int
}

// Error implements error.
func (e *TooLongError) Error() string { return fmt.Sprintf("line of %d bytes", e.Size) }

// Framer cuts a byte stream into lines of bounded length.
type Framer struct {
	r     *bufio.Reader
	limit int
	long  sync.Pool // of *[]byte: room for lines that do not fit the buffer
}

// NewFramer returns a Framer for lines of at most limit bytes, the newline not
// counted.
func NewFramer(r io.Reader, limit int) *Framer {
	return &Framer{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// Next returns the next line without its LF or CRLF, in memory of its own. A
// last line without a newline is returned before io.EOF. After a
// *TooLongError the next call goes on with the next line.
func (f *Framer) Next() ([]byte, error) {
	part, err := f.r.ReadSlice('\n')
	switch {
	case len(trimEnd(part)) > f.limit:
		return nil, f.skip(part, err)
	case errors.Is(err, bufio.ErrBufferFull):
		return f.longer(part)
	case err == nil, errors.Is(err, io.EOF) && len(part) > 0:
		return trimEnd(clone(part)), nil // the whole line: exactly one copy
	}
	return nil, err
}

// longer reads on a line that begins with part, in room that is used again: one that is
// refused in the end leaves nothing to clear away.
func (f *Framer) longer(part []byte) ([]byte, error) {
	room, ok := f.long.Get().(*[]byte)
	if !ok {
		room = new([]byte)
	}
	defer f.long.Put(room)
	line := append((*room)[:0], part...)
	for {
		part, err := f.r.ReadSlice('\n')
		if len(line)+len(trimEnd(part)) > f.limit {
			line = append(line, part...)
			*room = line
			return nil, f.skip(line, err)
		}
		line = append(line, part...)
		*room = line
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF):
			return trimEnd(clone(line)), nil
		}
		return nil, err
	}
}

// skip reads on to the end of a line that has outgrown the cap. err is what
// ended the last part of it.
func (f *Framer) skip(line []byte, err error) error {
	long := &TooLongError{Head: clone(line[:min(edge, len(line))]), Size: len(line)}
	tail := clone(line[max(0, len(line)-edge):])
	for errors.Is(err, bufio.ErrBufferFull) {
		if long.Size > f.limit*endless {
			return ErrEndless
		}
		var part []byte
		part, err = f.r.ReadSlice('\n')
		long.Size += len(part)
		tail = append(tail, part[max(0, len(part)-edge):]...)
		tail = append(tail[:0], tail[max(0, len(tail)-edge):]...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	long.Tail = trimEnd(tail)
	return long
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

// trimEnd cuts one LF or CRLF off the end of line.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
