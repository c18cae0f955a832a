package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
)

// errUnsent says that a connection that was idle took nothing of the request.
var errUnsent = errors.New("the connection was closed before anything was sent")

// line is one connection. Whoever took it from the pool, or dialled it, has it alone.
type line struct {
	conn    net.Conn
	raw     syscall.RawConn // nil: whether it is alive can't be known
	address string
	pool    *pool
	in      *bufio.Reader
	out     *bufio.Writer
	left    int64 // bytes that may still be read
	wrote   bool  // of the present request
	used    bool  // for an exchange before
	bounded bool  // there is a deadline for the answer's head
	since   time.Time
	closed  atomic.Bool
}

func newLine(conn net.Conn, address string, p *pool) *line {
	l := &line{conn: conn, address: address, pool: p}
	if c, ok := conn.(syscall.Conn); ok {
		l.raw, _ = c.SyscallConn() // nil with an error
	}
	l.in, l.out = bufio.NewReader(reader{l}), bufio.NewWriter(writer{l})
	return l
}

// reader and writer are the connection with account of what passes.
type (
	reader struct{ *line }
	writer struct{ *line }
)

func (r reader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errors.New("the head of the answer is too long")
	}
	n, err := r.conn.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

func (w writer) Write(p []byte) (int, error) {
	n, err := w.conn.Write(p)
	w.wrote = w.wrote || n > 0
	return n, err
}

// past is a deadline that is over.
var past = time.Unix(1, 0)

// interrupt ends what reads from or writes to the connection.
func (l *line) interrupt() { _ = l.conn.SetDeadline(past) }

// bound limits the time until the answer's head, unless ctx does so already.
func (l *line) bound(ctx context.Context, timeout time.Duration) {
	by := time.Now().Add(timeout)
	if end, ok := ctx.Deadline(); !ok || end.After(by) {
		l.bounded = true
		_ = l.conn.SetReadDeadline(by) // fails only where reading does
	}
}

// write sends a request, usually in one piece.
func (l *line) write(req *http.Request) error {
	l.wrote = false
	err := req.Write(l.out)
	if err == nil {
		err = l.out.Flush()
	}
	if err != nil && l.used && !l.wrote {
		return errors.Join(errUnsent, err)
	}
	return err
}

// read returns the final answer, of whose head there are at most so many bytes.
func (l *line) read(req *http.Request, head int) (*http.Response, error) {
	l.left = int64(head)
	for range maxInformational + 1 {
		resp, err := http.ReadResponse(l.in, req)
		switch {
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the server goes over to another protocol, unasked")
		case resp.StatusCode >= http.StatusOK:
			l.left = math.MaxInt64
			return resp, nil
		}
	}
	return nil, fmt.Errorf("more than %d informational answers", maxInformational)
}

// answer lets the connection be free when the body of the answer ends.
func (l *line) answer(resp *http.Response, ctx context.Context, stop func() bool) *http.Response {
	if l.bounded {
		l.bounded = false
		_ = l.conn.SetReadDeadline(time.Time{}) // the context ends it now, which may have set one already
		if ctx.Err() != nil {
			l.interrupt()
		}
	}
	b := &body{inner: resp.Body, line: l, ctx: ctx, stop: stop, keep: !resp.Close}
	if resp.Body == http.NoBody {
		b.finish(true)
		return resp
	}
	resp.Body = b
	return resp
}

// free gives the connection back for another exchange. One on which more came than
// was asked for is not used again.
func (l *line) free() {
	if l.in.Buffered() > 0 {
		l.close()
		return
	}
	l.used = true
	l.pool.put(l)
}

// close may be called by anybody, and more than once.
func (l *line) close() {
	if l.closed.CompareAndSwap(false, true) {
		_ = l.conn.Close()
	}
}

// alive reports whether an idle connection can be used: the server has neither
// closed it nor said anything unasked.
func (l *line) alive() bool {
	if l.raw == nil {
		return false
	}
	quiet := false
	err := l.raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}
