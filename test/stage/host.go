package stage

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mcp-gateway/protocol"
)

// Host is a caller with an API key.
type Host struct {
	url string // of the gateway
	key string
}

// NewHost returns the host that holds a key, before the gateway at a URL; ""
// is no key.
func NewHost(url, key string) *Host { return &Host{url, key} }

// Host returns the host of a principal; "" is a stranger without a key.
func (s *Stage) Host(name string) *Host {
	key, ok := s.keys[name]
	if !ok && name != "" {
		panic("stage: no such principal: " + name)
	}
	return NewHost(s.URL, key)
}

// Key is the API key of the host.
func (h *Host) Key() string { return h.key }

// Request is one HTTP request. Those that Ask and Calling return are what a
// correct host sends; tests then change what they are about.
type Request struct {
	Verb   string
	URL    string
	Host   string // the header; "" = that of the URL
	Header http.Header

	// The parts of the body: all are raw JSON, Params without braces and
	// without _meta. An empty ID or Meta leaves the member out.
	ID, Method, Meta, Params string
	// Body is sent instead, if it is not nil.
	Body io.Reader
}

// Meta is what a correct host sends as _meta.
const Meta = `{"` + protocol.MetaVersion + `":"` + protocol.Revision20260728 + `","` + protocol.MetaClientCapabilities +
	`":{},"` + protocol.MetaClientInfo + `":{"name":"stage","version":"1"}}`

// Ask returns a correct request for a method with the members of its params.
func (h *Host) Ask(method, params string) *Request {
	r := &Request{
		Verb: http.MethodPost, URL: h.url + "/mcp", Header: http.Header{},
		ID: "1", Method: method, Meta: Meta, Params: params,
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	r.Header.Set(protocol.HeaderMethod, method)
	if h.key != "" {
		r.Header.Set("Authorization", "Bearer "+h.key)
	}
	return r
}

// Calling returns a correct request to call a tool.
func (h *Host) Calling(tool, arguments string) *Request {
	r := h.Ask(protocol.MethodToolsCall, `"name":`+strconv.Quote(tool)+`,"arguments":`+arguments)
	r.Header.Set(protocol.HeaderName, protocol.EncodeHeader(tool))
	return r
}

// Call calls a tool.
func (h *Host) Call(t testing.TB, tool, arguments string) *Reply {
	t.Helper()
	return h.Calling(tool, arguments).Send(t)
}

// List returns the names that tools/list shows, in their order.
func (h *Host) List(t testing.TB) []string {
	t.Helper()
	return h.Ask(protocol.MethodToolsList, "").Send(t).Tools(t)
}

// At sends the request to another path of the same gateway.
func (r *Request) At(path string) *Request {
	at := strings.Index(r.URL, "/mcp")
	r.URL = r.URL[:at] + path
	return r
}

// Legacy is a request to the gateway as hosts of earlier revisions send it: no
// _meta, and of the headers only those that they know. An empty revision or
// session leaves its header out.
func (h *Host) Legacy(revision, session, method, params string) *Request {
	r := h.Ask(method, params).With(protocol.HeaderMethod).With(protocol.HeaderVersion)
	r.Meta = ""
	if revision != "" {
		r.With(protocol.HeaderVersion, revision)
	}
	if session != "" {
		r.With(protocol.HeaderSession, session)
	}
	return r
}

// With sets a header; none of the values removes it.
func (r *Request) With(header string, values ...string) *Request {
	key := http.CanonicalHeaderKey(header)
	if delete(r.Header, key); len(values) > 0 {
		r.Header[key] = values
	}
	return r
}

// Saying sends a text in place of the body.
func (r *Request) Saying(body string) *Request {
	r.Body = strings.NewReader(body)
	return r
}

// Text is the body that a request is sent with unless Body is set.
func (r *Request) Text() string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0",`)
	if r.ID != "" {
		b.WriteString(`"id":` + r.ID + `,`)
	}
	b.WriteString(`"method":` + strconv.Quote(r.Method) + `,"params":{`)
	if r.Meta != "" {
		b.WriteString(`"_meta":` + r.Meta)
		if r.Params != "" {
			b.WriteByte(',')
		}
	}
	return b.String() + r.Params + "}}"
}

// Send sends the request and reads the answer.
func (r *Request) Send(t testing.TB) *Reply {
	t.Helper()
	reply, err := r.Do(t.Context())
	if err != nil {
		t.Fatalf("%s %s: %v", r.Verb, r.Method, err)
	}
	return reply
}

// Do is Send for hosts that may go away.
func (r *Request) Do(ctx context.Context) (*Reply, error) {
	body := r.Body
	if body == nil {
		body = strings.NewReader(r.Text())
	}
	req, err := http.NewRequestWithContext(ctx, r.Verb, r.URL, body)
	if err != nil {
		return nil, err
	}
	req.Header, req.Host = r.Header, r.Host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	reply := &Reply{Status: resp.StatusCode, Header: resp.Header, Body: raw}
	if m, err := protocol.ParseMessage(raw, protocol.Limits{Bytes: 64 << 20, Depth: 1000}); err == nil {
		reply.ID, reply.Result, reply.Fault = string(m.ID), m.Result, m.Error
	}
	return reply, nil
}

// Reply is one answer of the gateway.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	ID     string // as it came; "" if there is none
	Result []byte // nil unless it is a JSON-RPC result
	Fault  []byte // the error object, nil unless it is a JSON-RPC error
}

// Get returns the raw value at a JSON Pointer into the result or error object;
// "" if there is none.
func (r *Reply) Get(pointer string) string {
	whole := r.Result
	if whole == nil {
		whole = r.Fault
	}
	if whole == nil {
		return ""
	}
	value, _ := protocol.Lookup(whole, pointer)
	return string(value)
}

// Code is what a program learns of a refusal; "" if there is none.
func (r *Reply) Code() string {
	pointer := "/data/code"
	if r.Result != nil {
		pointer = "/_meta/mcp-gateway~1error/code"
	}
	code, _ := protocol.Text([]byte(r.Get(pointer)))
	return code
}

// RPC is the code of a JSON-RPC error; 0 if it is none.
func (r *Reply) RPC() int {
	if r.Fault == nil {
		return 0
	}
	n, _ := strconv.Atoi(r.Get("/code")) // 0 for what is no integer
	return n
}

// IsError says whether it is a tool result that reports a failure.
func (r *Reply) IsError() bool { return r.Result != nil && r.Get("/isError") == "true" }

// Tools returns the names of a tools/list.
func (r *Reply) Tools(t testing.TB) []string {
	t.Helper()
	tools, ok := protocol.Member(r.Result, "tools")
	if r.Result == nil || !ok {
		t.Fatalf("no list: %d %s", r.Status, r.Body)
	}
	names := []string{}
	for tool := range protocol.Elements(tools) {
		raw, _ := protocol.Member(tool, "name")
		name, _ := protocol.Text(raw)
		names = append(names, name)
	}
	return names
}
