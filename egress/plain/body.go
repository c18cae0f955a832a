package plain

import (
	"context"
	"io"
	"sync/atomic"
)

// body is the body of an answer. It is read by one goroutine; another may close it.
type body struct {
	inner io.ReadCloser // of net/http; never closed, which would read it to its end
	line  *line
	ctx   context.Context
	stop  func() bool // takes back the interruption by ctx
	keep  bool        // the connection may be used again
	over  atomic.Bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.over.Load() {
		return 0, io.EOF
	}
	n, err := b.inner.Read(p)
	switch {
	case err == io.EOF:
		b.finish(true)
	case err != nil:
		if ended := context.Cause(b.ctx); ended != nil {
			err = ended
		}
		b.finish(false)
	}
	return n, err
}

// Close implements io.Closer. A body that was not read to its end takes its
// connection with it.
func (b *body) Close() error {
	b.finish(false)
	return nil
}

// finish gives the connection back, or closes it.
func (b *body) finish(whole bool) {
	if !b.over.CompareAndSwap(false, true) {
		return
	}
	// An interruption that has begun may reach the connection at any time.
	if undisturbed := b.stop(); whole && undisturbed && b.keep {
		b.line.free()
		return
	}
	b.line.close()
}
