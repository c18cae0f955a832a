package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads lines of bounded length.
type lines struct{ in *bufio.Reader }

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, 64<<10)} }

// next returns the next line that is not blank, without its end, in memory of its
// own. A line of more than limit bytes is read to its end, and cut after limit+1.
// A last line that nothing ends counts.
func (l *lines) next(limit int) ([]byte, error) {
	for {
		line, err := l.read(limit)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) read(limit int) (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part[:min(len(part), limit+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
