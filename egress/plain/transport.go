package plain

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// maxBody is how large a request body may be: what fits into the buffers of a
// connection is written whole, whatever the server does meanwhile.
const maxBody = 64 << 10

// maxInformational is how many 1xx answers may come before the final one.
const maxInformational = 5

// Options configure a Transport. All are required.
type Options struct {
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Timeout time.Duration // from the request to the answer's head
	Head    int           // bytes of that head, at most
	Idle    time.Duration // how long a connection is kept that nobody uses
	PerHost int           // how many such there are for each host
	Rest    http.RoundTripper
}

// Transport is a http.RoundTripper. It is safe for concurrent use.
type Transport struct {
	opts Options
	pool pool
}

// New returns a Transport; what it does not serve goes to o.Rest.
func New(o Options) *Transport {
	return &Transport{opts: o, pool: pool{perHost: o.PerHost, rest: o.Idle, lines: make(map[string][]*line)}}
}

// CloseIdleConnections is for http.Client's method of that name.
func (t *Transport) CloseIdleConnections() {
	t.pool.empty()
	if rest, ok := t.opts.Rest.(interface{ CloseIdleConnections() }); ok {
		rest.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !serves(req) {
		return t.opts.Rest.RoundTrip(req)
	}
	address := req.URL.Host
	if req.URL.Port() == "" {
		address = net.JoinHostPort(req.URL.Hostname(), "80")
	}
	for l := t.pool.take(address); l != nil; l = t.pool.take(address) {
		resp, err := t.exchange(req, l)
		if !errors.Is(err, errUnsent) {
			return resp, err
		}
		// The server let go of the connection while it was idle, and got nothing.
		if req, err = again(req); err != nil {
			return nil, err
		}
	}
	l, err := t.dial(req, address)
	if err != nil {
		return nil, err
	}
	return t.exchange(req, l)
}

// serves reports whether a request goes this way: a POST of known, small size over
// http to a host in ASCII, of which net/http need not add or take away anything.
func serves(req *http.Request) bool {
	u := req.URL
	if u == nil || u.Scheme != "http" || req.Method != http.MethodPost || req.ContentLength <= 0 || req.ContentLength > maxBody {
		return false
	}
	if req.Close || req.GetBody == nil || len(req.TransferEncoding)+len(req.Trailer) > 0 || req.Header["Accept-Encoding"] == nil || req.Header["Expect"] != nil {
		return false
	}
	for name, values := range req.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return false
			}
		}
	}
	return u.Hostname() != "" && isASCII(u.Host)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// again returns the request with its body from the beginning.
func again(req *http.Request) (*http.Request, error) {
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	next := *req
	next.Body = body
	return &next, nil
}

func (t *Transport) dial(req *http.Request, address string) (*line, error) {
	conn, err := t.opts.Dial(req.Context(), "tcp", address)
	if err != nil {
		_ = req.Body.Close()
		return nil, err
	}
	return newLine(conn, address, &t.pool), nil
}

// exchange makes one exchange. The connection is then closed, or the answer's body
// has it.
func (t *Transport) exchange(req *http.Request, l *line) (*http.Response, error) {
	ctx := req.Context()
	if ended := context.Cause(ctx); ended != nil {
		l.close()
		_ = req.Body.Close()
		return nil, ended
	}
	stop := context.AfterFunc(ctx, l.interrupt)
	l.bound(ctx, t.opts.Timeout)
	err := l.write(req)
	_ = req.Body.Close()
	if err == nil {
		var resp *http.Response
		if resp, err = l.read(req, t.opts.Head); err == nil {
			return l.answer(resp, ctx, stop), nil
		}
	}
	stop()
	l.close()
	if ended := context.Cause(ctx); ended != nil {
		err = ended
	}
	return nil, err
}
