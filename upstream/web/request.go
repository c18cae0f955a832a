package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"mcp-gateway/protocol"
)

const (
	mediaJSON   = "application/json"
	mediaStream = "text/event-stream"
)

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

// headers are those of one request: fixed ones, the standard ones of revision
// 2026-07-28, and the mirrored arguments of the pinned definition.
func (l *Link) headers(revision string, out *protocol.Outgoing) http.Header {
	f := &l.fixed
	values := [3]string{revision, out.Method, ""}
	h := make(http.Header, 9+len(out.Mirrors))
	h["Content-Type"], h["Accept"], h["Accept-Encoding"], h["User-Agent"] = f.contentType, f.accept, f.encoding, f.agent
	h[protocol.HeaderVersion], h[protocol.HeaderMethod] = values[0:1:1], values[1:2:2]
	if out.Name != "" {
		values[2] = protocol.EncodeHeader(out.Name)
		h[protocol.HeaderName] = values[2:3:3]
	}
	if len(out.Mirrors) > 0 {
		protocol.SetParams(h, out.Mirrors, out.Arguments)
	}
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

// post makes the request. touched becomes true as soon as any of it may have
// been sent, on whichever connection.
func (l *Link) post(ctx context.Context, h http.Header, body []byte, touched *atomic.Bool) (*http.Response, error) {
	newBody := func() (io.ReadCloser, error) {
		u := &upload{touched: touched}
		u.Reset(body)
		return u, nil
	}
	first, _ := newBody()
	req := (&http.Request{
		Method: http.MethodPost, URL: l.url, Host: l.url.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: first, GetBody: newBody, ContentLength: int64(len(body)),
	}).WithContext(ctx)
	return l.opts.Client.Do(req)
}
