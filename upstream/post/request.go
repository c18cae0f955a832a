package post

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"sync/atomic"

	"mcp-gateway/egress"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/credential"
	"mcp-gateway/upstream/exchange"
)

const (
	mediaJSON   = "application/json"
	mediaStream = "text/event-stream"
)

// Options say where a server is and how it is spoken to.
type Options struct {
	URL      string
	Bearer   string            // the gateway's own credential for this upstream; "" for none
	Source   credential.Source // gives the credential of each request instead; nil for none
	Client   *http.Client      // with the dial guard; required. No redirect is followed
	Version  string            // of the gateway, for User-Agent
	Depth    int               // of JSON; the protocol package's default
	Counters *exchange.Counters
}

// Server is where requests go. It may be used from any goroutine.
type Server struct {
	opts   Options
	url    *url.URL
	fixed  fixedHeaders
	round  http.RoundTripper // the client's: it keeps no cookies, and 3xx is an answer
	bodies *egress.Bodies
	large  chan struct{} // large answers that are read and parsed at a time
}

// New returns the server of that URL, without any user or fragment in it.
func New(opts Options) (*Server, error) {
	u, err := url.Parse(opts.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || opts.Client == nil {
		return nil, gateway.Because(gateway.CodeInternal, err)
	}
	u.User, u.Fragment = nil, ""
	s := &Server{opts: opts, url: u, fixed: newFixedHeaders(opts.Version, opts.Bearer), round: opts.Client.Transport}
	s.bodies, s.large = new(egress.Bodies), make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	if s.round == nil {
		s.round = http.DefaultTransport
	}
	return s, nil
}

// Endpoint returns the same server at another URL that it named, absolute or
// relative; false if that is none of the same origin, to which alone the
// credential may go.
func (s *Server) Endpoint(ref string) (*Server, bool) {
	u, err := s.url.Parse(ref)
	if err != nil || u.Scheme != s.url.Scheme || u.Host != s.url.Host || u.User != nil {
		return nil, false
	}
	other := *s
	u.Fragment = ""
	other.url = u
	return &other, true
}

// Close lets go of connections that are idle.
func (s *Server) Close() { s.opts.Client.CloseIdleConnections() }

// fixedHeaders are the header values that every request of a link shares. They
// are never written after they were made.
type fixedHeaders struct{ contentType, accept, encoding, agent, authorization []string }

func newFixedHeaders(version, bearer string) fixedHeaders {
	f := fixedHeaders{
		contentType: []string{mediaJSON},
		accept:      []string{mediaJSON + ", " + mediaStream},
		encoding:    []string{"identity"}, // what a compressed answer unfolds to can't be bounded cheaply
		agent:       []string{"mcp-gateway/" + version},
	}
	if bearer != "" {
		f.authorization = []string{"Bearer " + bearer}
	}
	return f
}

// Modern returns the headers of one request of revision 2026-07-28 or later:
// fixed ones, the standard ones, and the mirrored arguments of the pinned
// definition.
func (s *Server) Modern(revision string, out *protocol.Outgoing) http.Header {
	values := [3]string{revision, out.Method, ""}
	h := s.header(4 + len(out.Mirrors))
	h[protocol.HeaderVersion], h[protocol.HeaderMethod] = values[0:1:1], values[1:2:2]
	if out.Name != "" {
		values[2] = protocol.EncodeHeader(out.Name)
		h[protocol.HeaderName] = values[2:3:3]
	}
	if len(out.Mirrors) > 0 {
		protocol.SetParams(h, out.Mirrors, out.Arguments)
	}
	return h
}

// Legacy returns the headers of one request of an earlier revision, with the
// session's id, and the agreed revision where it has to be named ("" before
// that, and before 2025-06-18).
func (s *Server) Legacy(revision, session string) http.Header {
	h := s.header(2)
	if revision >= protocol.Revision20250618 {
		h[protocol.HeaderVersion] = []string{revision}
	}
	if session != "" {
		h[protocol.HeaderSession] = []string{session}
	}
	return h
}

// header returns the fixed headers, with room for more.
func (s *Server) header(more int) http.Header {
	f := &s.fixed
	h := make(http.Header, 5+more)
	h["Content-Type"], h["Accept"], h["Accept-Encoding"], h["User-Agent"] = f.contentType, f.accept, f.encoding, f.agent
	if f.authorization != nil {
		h["Authorization"] = f.authorization
	}
	return h
}

// upload is a request body that knows whether anybody began to read it. As
// net/http holds headers back until it has read from the body, an untouched
// one means that the upstream saw nothing of the request.
type upload struct {
	bytes.Reader
	touched *atomic.Bool
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.touched.Store(true)
	return u.Reader.Read(p)
}

// WriteTo implements io.WriterTo, which spares net/http a copy buffer.
func (u *upload) WriteTo(w io.Writer) (int64, error) {
	u.touched.Store(true)
	return u.Reader.WriteTo(w)
}

// Close implements io.Closer.
func (u *upload) Close() error { return nil }

// Post makes a request with a body. touched, if not nil, becomes true as soon
// as any of it may have been sent, on whichever connection.
//
// A server that does not take the credential did nothing: it is asked once more,
// with another one, if its source has one.
func (s *Server) Post(ctx context.Context, h http.Header, body []byte, touched *atomic.Bool) (*http.Response, error) {
	if touched == nil {
		touched = new(atomic.Bool)
	}
	token, err := s.authorize(ctx, h)
	if err != nil {
		return nil, err
	}
	resp, err := s.post(ctx, h, body, touched)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || s.opts.Source == nil {
		return resp, err
	}
	s.opts.Source.Refused(credential.Behalf(ctx), token)
	if next, err := s.authorize(ctx, h); err != nil || next == token {
		return resp, nil
	}
	_ = resp.Body.Close()
	return s.post(ctx, h, body, touched)
}

// authorize puts the credential on a request, where it is not a fixed one.
func (s *Server) authorize(ctx context.Context, h http.Header) (token string, err error) {
	if s.opts.Source == nil {
		return "", nil
	}
	if token, err = s.opts.Source.Token(ctx, credential.Behalf(ctx)); err != nil {
		return "", err
	}
	h["Authorization"] = []string{"Bearer " + token}
	return token, nil
}

func (s *Server) post(ctx context.Context, h http.Header, body []byte, touched *atomic.Bool) (*http.Response, error) {
	newBody := func() (io.ReadCloser, error) {
		u := &upload{touched: touched}
		u.Reset(body)
		return u, nil
	}
	first, _ := newBody()
	req := (&http.Request{
		Method: http.MethodPost, URL: s.url, Host: s.url.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: first, GetBody: newBody, ContentLength: int64(len(body)),
	}).WithContext(ctx)
	return s.round.RoundTrip(req)
}

// Tell posts a message that has no answer and reads none. The status says
// whether it was taken.
func (s *Server) Tell(ctx context.Context, h http.Header, body []byte) (status int, err error) {
	resp, err := s.Post(ctx, h, body, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, errorRoom) // so that the connection can be used again
	return resp.StatusCode, nil
}

// Bare makes a request without a body: a GET for an event stream, which goes on
// after the event of that id if one is named, or a DELETE.
func (s *Server) Bare(ctx context.Context, method string, h http.Header, after string) (*http.Response, error) {
	delete(h, "Content-Type")
	if method == http.MethodGet {
		h["Accept"] = []string{mediaStream}
	}
	if after != "" {
		h["Last-Event-Id"] = []string{after}
	}
	if _, err := s.authorize(ctx, h); err != nil {
		return nil, err
	}
	req := (&http.Request{
		Method: method, URL: s.url, Host: s.url.Host, Header: h, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	return s.round.RoundTrip(req)
}
