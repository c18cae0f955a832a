package door

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
)

// errTwoLengths is the cause of a refusal of a request that says twice how long it
// is. An intermediary that believes the other length sees another request.
var errTwoLengths = errors.New("Content-Length beside Transfer-Encoding, or a header that was not seen")

// Serve is server.Serve for hosts over HTTP/1.1 who may be intermediaries. net/http
// takes a message with both Content-Length and Transfer-Encoding by the latter and
// shows the former to nobody, so the lines of each header are looked at as they come
// (RFC 9112, 6.1 and 11.2: "ought to be handled as an error"). A request with chunks
// that was sent before the one ahead of it was answered is not seen, and taken for one
// of these.
func Serve(server *http.Server, listener net.Listener) error {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if own, ok := c.(*conn); ok && state == http.StateIdle { // between requests: nobody reads
			own.head = head{line: own.head.line[:0]}
		}
	}
	return server.Serve(watched{listener})
}

type connKey struct{}

// twoLengths reports whether the request was framed in more than one way. It is asked
// before any of its body is read.
func twoLengths(r *http.Request) bool {
	if len(r.TransferEncoding) == 0 {
		return false
	}
	c, ok := r.Context().Value(connKey{}).(*conn)
	return ok && (!c.head.chunked || c.head.length)
}

// watched is a listener whose connections look at the headers that they bring.
type watched struct{ net.Listener }

func (l watched) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	_, direct := c.(*net.TCPConn)
	return &conn{Conn: c, direct: direct}, nil
}

type conn struct {
	net.Conn
	head   head
	direct bool // TCP, with nothing between
	out    outgoing
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.head.over {
		c.head.see(p[:n])
	}
	return n, err
}

// CloseWrite lets the server end what it says before it ends the connection, so that
// its last answer is not lost.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// head is what was seen of one header.
type head struct {
	line            []byte // its start, as far as a name may go
	chunked, length bool
	over            bool
}

const longestName = len("transfer-encoding")

// see takes the next bytes of a connection, which may end anywhere.
func (h *head) see(b []byte) {
	for len(b) > 0 && !h.over {
		text, rest, ended := bytes.Cut(b, []byte{'\n'})
		h.part(text)
		if b = rest; !ended {
			return
		}
		h.over = len(h.line) == 0 || string(h.line) == "\r"
		name, _, _ := bytes.Cut(h.line, []byte{':'})
		h.chunked = h.chunked || strings.EqualFold(string(name), "transfer-encoding")
		h.length = h.length || strings.EqualFold(string(name), "content-length")
		h.line = h.line[:0]
	}
}

// part keeps what a name may be of.
func (h *head) part(text []byte) {
	if room := longestName + 1 - len(h.line); room > 0 {
		h.line = append(h.line, text[:min(room, len(text))]...)
	}
}
