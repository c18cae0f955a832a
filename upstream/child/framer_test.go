package child

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// lines reads all of r and describes what came, one word a line.
func lines(r io.Reader, limit int) (got []string, last error) {
	f := NewFramer(r, limit)
	for {
		line, err := f.Next()
		var long *TooLongError
		switch {
		case errors.As(err, &long):
			got = append(got, "<long>")
		case err != nil:
			return got, err
		default:
			got = append(got, string(line))
		}
	}
}

func TestFramer(t *testing.T) {
	big := strings.Repeat("x", 3*readBuffer)
	for name, tc := range map[string]struct {
		in    string
		limit int
		want  []string
	}{
		"plain":             {"a\nb\n", 10, []string{"a", "b"}},
		"CRLF":              {"a\r\nb\r\n", 10, []string{"a", "b"}},
		"empty lines":       {"\n\na\n", 10, []string{"", "", "a"}},
		"no last newline":   {"a\nb", 10, []string{"a", "b"}},
		"nothing":           {"", 10, nil},
		"at the limit":      {"abcd\nx\n", 4, []string{"abcd", "x"}},
		"over the limit":    {"abcde\nx\n", 4, []string{"<long>", "x"}},
		"over, without end": {"abcde", 4, []string{"<long>"}},
		"beyond the buffer": {big + "\nx\n", len(big), []string{big, "x"}},
		"far over":          {big + "\nx\n", len(big) - 1, []string{"<long>", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{
				"whole": strings.NewReader(tc.in), "in halves": iotest.HalfReader(strings.NewReader(tc.in)),
			} {
				got, err := lines(r, tc.limit)
				if !errors.Is(err, io.EOF) || strings.Join(got, "|") != strings.Join(tc.want, "|") || len(got) != len(tc.want) {
					t.Errorf("%s: %d lines, %v", way, len(got), err)
				}
			}
		})
	}
}

func TestFramerKeepsBothEndsOfALongLine(t *testing.T) {
	in := `{"id":7,` + strings.Repeat("x", 5*readBuffer) + `,"end":8}` + "\nnext\n"
	f := NewFramer(strings.NewReader(in), 2*readBuffer)
	_, err := f.Next()
	var long *TooLongError
	if !errors.As(err, &long) || !bytes.HasPrefix(long.Head, []byte(`{"id":7,`)) || !bytes.HasSuffix(long.Tail, []byte(`"end":8}`)) {
		t.Fatalf("%v", err)
	}
	if len(long.Head) > edge || len(long.Tail) > edge || long.Size != strings.Index(in, "\n")+1 {
		t.Errorf("head %d tail %d size %d of %d", len(long.Head), len(long.Tail), long.Size, len(in))
	}
	if line, err := f.Next(); string(line) != "next" || err != nil {
		t.Errorf("%q %v", line, err)
	}
}

func TestFramerPassesReadErrors(t *testing.T) {
	broken := errors.New("broken")
	_, err := lines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 10)
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// FuzzFramer holds the framer to a plain splitting of the text.
func FuzzFramer(f *testing.F) {
	for _, seed := range []string{"a\nb\r\n", "\n", "abcdefgh", "ab\rcd\n\r\n", "12345678\n123456789\n"} {
		f.Add([]byte(seed), 8)
	}
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = limit&0xFF + 1
		var want []string
		for line := range bytes.Lines(in) {
			text := trimEnd(line)
			if len(text) > limit {
				want = append(want, "<long>")
				continue
			}
			want = append(want, string(text))
		}
		got, err := lines(iotest.HalfReader(bytes.NewReader(in)), limit)
		if errors.Is(err, ErrEndless) {
			return
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
