package sse

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/door"
)

// ErrAnswered is what an event meets that comes after the answer.
var ErrAnswered = errors.New("the request is answered already")

// keepAlive is how long a stream may be silent before a comment is sent, so that
// nothing in between takes it for dead.
const keepAlive = 15 * time.Second

// writeTime is how long a host may take to accept one event.
const writeTime = 30 * time.Second

// Writer answers one request. It is safe for concurrent use; whoever made it
// must end it with Answer or Close before the HTTP handler returns.
type Writer struct {
	r     *http.Request
	mu    sync.Mutex // guards all below
	w     http.ResponseWriter
	open  bool // the stream has begun
	over  bool
	alive *time.Timer
}

// NewWriter returns the writer of the answer to r.
func NewWriter(w http.ResponseWriter, r *http.Request) *Writer { return &Writer{w: w, r: r} }

// Gone is closed when the host has left.
func (x *Writer) Gone() <-chan struct{} { return x.r.Context().Done() }

// Open begins the stream now. Status and headers are sent.
func (x *Writer) Open() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.send([]byte(": ok\n\n"))
}

// Event sends one JSON value, which begins the stream if need be. The value is
// used only until Event returns, and its line breaks become blanks.
func (x *Writer) Event(value []byte) error {
	frame := make([]byte, 0, len(value)+32)
	frame = append(append(frame, "event: message\ndata: "...), protocol.OneLine(value)...)
	frame = append(frame, "\n\n"...)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.send(frame)
}

// KeepAlive lets the request be answered as a stream even where nothing but the
// answer is said, beginning with a comment when the answer takes its time.
func (x *Writer) KeepAlive() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.alive == nil && !x.over {
		x.alive = time.AfterFunc(keepAlive, x.beat)
	}
}

func (x *Writer) beat() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.send([]byte(": keep-alive\n\n")) // a host that is gone is noticed by its request
}

// send writes to the stream. The lock is held.
func (x *Writer) send(frame []byte) error {
	if x.over {
		return ErrAnswered
	}
	if err := x.r.Context().Err(); err != nil {
		return err
	}
	rc := http.NewResponseController(x.w)
	_ = rc.SetWriteDeadline(time.Now().Add(writeTime)) // where unsupported, the server's own bounds hold
	if !x.open {
		x.begin()
	}
	if _, err := x.w.Write(frame); err != nil {
		return err
	}
	if x.alive == nil {
		x.alive = time.AfterFunc(keepAlive, x.beat)
	}
	x.alive.Reset(keepAlive)
	return rc.Flush()
}

func (x *Writer) begin() {
	h := x.w.Header()
	h["Cache-Control"], h["X-Content-Type-Options"], h["Content-Type"] = noStore, noSniff, eventStream
	h["X-Accel-Buffering"] = unbuffered
	x.w.WriteHeader(http.StatusOK)
	x.open = true
}

// Close ends a stream that has no answer.
func (x *Writer) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.end()
}

func (x *Writer) end() {
	x.over = true
	if x.alive != nil {
		x.alive.Stop()
	}
	if x.open {
		_ = http.NewResponseController(x.w).SetWriteDeadline(time.Time{}) // the next request on this connection has its own
	}
}

// Answer sends the answer: as the last event where the stream has begun, or as
// one JSON body with its status. Nothing is sent to a host that has gone away; a
// request that could not be read looks like one, and is answered all the same.
func (x *Writer) Answer(c *proxy.Call, a proxy.Answer) {
	defer a.Sent()
	x.mu.Lock()
	streams := x.open || x.alive != nil && c.Err == nil && a.Body != nil
	x.mu.Unlock()
	if streams {
		_ = x.Event(a.Whole()) // the host may have gone
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.end()
	unread := c.Err != nil && c.Err.Code == gateway.CodeMalformed
	if streams || x.r.Context().Err() != nil && !unread {
		return
	}
	x.whole(a)
}

// large is the size in bytes from which an answer and its header no longer fit the
// buffer in which net/http sends both at once.
const large = 3 << 10

// whole sends an answer that is no stream.
func (x *Writer) whole(a proxy.Answer) {
	h := x.w.Header()
	h["Cache-Control"], h["X-Content-Type-Options"] = noStore, noSniff
	if a.Challenge != "" {
		h.Set("WWW-Authenticate", a.Challenge)
	}
	if a.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	if a.Body == nil {
		x.w.WriteHeader(a.Status)
		return
	}
	h["Content-Type"] = mediaType
	size := a.Size()
	h.Set("Content-Length", strconv.Itoa(size))
	x.w.WriteHeader(a.Status)
	// The host may have gone; its disconnect is seen elsewhere.
	if size < large {
		_, _ = x.w.Write(a.Whole())
		return
	}
	_ = door.Send(x.w, x.r, a.Body, a.Rest)
}

// Header values that never change, shared so that an answer allocates none.
var (
	noStore     = []string{"no-store"}
	noSniff     = []string{"nosniff"}
	mediaType   = []string{"application/json"}
	eventStream = []string{"text/event-stream"}
	unbuffered  = []string{"no"}
)
