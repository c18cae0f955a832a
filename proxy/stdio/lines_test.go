package stdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func all(in io.Reader, limit int) (got []string, err error) {
	l := newLines(in)
	for {
		line, err := l.next(limit)
		if err != nil {
			return got, err
		}
		got = append(got, string(line))
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	got, err := all(iotest.HalfReader(strings.NewReader("\n a \r\n\n"+long+"\nb\n \nc")), 100)
	if want := []string{"a", long[:101], "b", "c"}; !errors.Is(err, io.EOF) || strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%.300q %v", got, err)
	}
	if got, err := all(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab\n"))), 100); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("%q %v", got, err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n\nc"), 3)
	f.Add(bytes.Repeat([]byte("x"), 70<<10), 66<<10)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		got, err := all(bytes.NewReader(in), limit)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		var want []string
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if len(line) > limit+1 {
				line = line[:limit+1]
			}
			if line = bytes.TrimSpace(line); len(line) > 0 {
				want = append(want, string(line))
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
