package auditor

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// bar tells how far something long has come, on a terminal only: elsewhere a
// line that is written over itself is noise.
type bar struct {
	w     io.Writer // nil: nobody is told
	what  string
	total uint64 // 0 = not known
	last  string
}

func newBar(w io.Writer, what string) *bar {
	b := &bar{what: what}
	if f, ok := w.(*os.File); ok && os.Getenv("TERM") != "dumb" {
		if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			b.w = w
		}
	}
	return b
}

// width is how many cells a bar has.
const width = 30

// set tells how many there were so far.
func (b *bar) set(n uint64) {
	if b.w == nil {
		return
	}
	text := fmt.Sprintf("\r%d %s", n, b.what)
	if b.total > 0 {
		done := int(min(n, b.total) * width / b.total)
		text = fmt.Sprintf("\r[%s%s] %d of %d %s", strings.Repeat("=", done), strings.Repeat(" ", width-done), n, b.total, b.what)
	}
	if text != b.last {
		fmt.Fprint(b.w, text)
		b.last = text
	}
}

// done takes the line away.
func (b *bar) done() {
	if b.w != nil && b.last != "" {
		fmt.Fprint(b.w, "\r"+strings.Repeat(" ", len(b.last))+"\r")
	}
}
