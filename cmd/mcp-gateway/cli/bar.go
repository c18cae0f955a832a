package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Bar tells how far something long has come, on a terminal only: elsewhere a
// line that is written over itself is noise.
type Bar struct {
	w     io.Writer // nil: nobody is told
	what  string
	Total uint64 // 0 = not known
	last  string
}

// NewBar returns a bar that counts what; it tells nobody unless w is a terminal.
func NewBar(w io.Writer, what string) *Bar {
	b := &Bar{what: what}
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			b.w = w
		}
	}
	return b
}

// width is how many cells a bar has.
const width = 30

// Set tells how many there were so far.
func (b *Bar) Set(n uint64) {
	if b.w == nil {
		return
	}
	text := fmt.Sprintf("\r%d %s", n, b.what)
	if b.Total > 0 {
		done := int(min(n, b.Total) * width / b.Total)
		text = fmt.Sprintf("\r[%s%s] %d of %d %s", strings.Repeat("=", done), strings.Repeat(" ", width-done), n, b.Total, b.what)
	}
	if text != b.last {
		fmt.Fprint(b.w, text)
		b.last = text
	}
}

// Done takes the line away.
func (b *Bar) Done() {
	if b.w != nil && b.last != "" {
		fmt.Fprint(b.w, "\r"+strings.Repeat(" ", len(b.last))+"\r")
	}
}
