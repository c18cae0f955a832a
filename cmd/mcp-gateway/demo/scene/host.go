package scene

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/answer"
	"mcp-gateway/proxy/call"
)

// Reply is one answer of the gateway, as a host reads it.
type Reply struct {
	Status  int
	Session string
	ID      string // the JSON-RPC id as it came
	Result  []byte // nil if it is a JSON-RPC error
	Fault   []byte // the error object, or nil
}

// Request is what a host of revision 2026-07-28 sends, and what may differ.
type Request struct {
	URL      string // of another gateway than the Stage's; "" = that
	By       string
	Method   string
	Name     string // for the Mcp-Name header
	Params   string // members, without _meta
	Meta     string // further members of _meta
	ID       string // "" = 1
	Revision string // "" = the newest
	Elicits  bool   // the host declares that it can ask its user
}

// Ask sends one request.
func (s *Stage) Ask(ctx context.Context, q Request) (*Reply, error) {
	body, header := s.Render(q)
	return s.Post(ctx, q.URL, q.By, body, header)
}

// Render is the request as it goes over HTTP.
func (s *Stage) Render(q Request) (body string, header http.Header) {
	if q.ID == "" {
		q.ID = "1"
	}
	if q.Revision == "" {
		q.Revision = protocol.Revision20260728
	}
	able := "{}"
	if q.Elicits {
		able = `{"elicitation":{"form":{}}}`
	}
	meta := fmt.Sprintf(`"_meta":{%q:%q,%q:{"name":"demo","version":"1"},%q:%s`, protocol.MetaVersion, q.Revision, protocol.MetaClientInfo, protocol.MetaClientCapabilities, able)
	if q.Meta != "" {
		meta += "," + q.Meta
	}
	meta += "}"
	if q.Params != "" {
		meta += ","
	}
	header = http.Header{}
	header.Set(protocol.HeaderVersion, q.Revision)
	header.Set(protocol.HeaderMethod, q.Method)
	if q.Name != "" {
		header.Set(protocol.HeaderName, protocol.EncodeHeader(q.Name))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, q.ID, q.Method, meta, q.Params), header
}

// Step is how much time goes by with each request.
const Step = 100 * time.Millisecond

// Post sends a body as it is.
func (s *Stage) Post(ctx context.Context, url, by, body string, header http.Header) (*Reply, error) {
	s.Wait(Step)
	s.Sent++
	if url == "" {
		url = s.URL
	}
	return s.Deliver(ctx, url, by, body, header)
}

// Deliver sends a body at this moment.
func (s *Stage) Deliver(ctx context.Context, url, by, body string, header http.Header) (*Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header = header
	req.Header.Set("Authorization", "Bearer "+s.callers[by].key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return send(req)
}

func send(req *http.Request) (*Reply, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	r := &Reply{Status: resp.StatusCode, Session: resp.Header.Get(protocol.HeaderSession)}
	if len(raw) == 0 {
		return r, nil
	}
	m, err := protocol.ParseMessage(unframed(raw), protocol.DefaultLimits())
	r.ID, r.Result, r.Fault = string(m.ID), m.Result, m.Error
	return r, err
}

// unframed takes a message out of an event stream of one.
func unframed(raw []byte) []byte {
	if _, data, ok := bytes.Cut(raw, []byte("data: ")); ok && raw[0] != '{' {
		raw, _, _ = bytes.Cut(data, []byte("\n"))
	}
	return raw
}

// Calling is a tools/call.
func Calling(by, tool, args string) Request {
	return Request{By: by, Method: protocol.MethodToolsCall, Name: tool, Params: fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)}
}

// Keyed is the same call with an idempotency key.
func (q Request) Keyed(key string) Request {
	q.Meta = fmt.Sprintf(`%q:%q`, call.MetaKey, key)
	return q
}

// Call sends a tools/call.
func (s *Stage) Call(ctx context.Context, by, tool, args string) (*Reply, error) {
	return s.Ask(ctx, Calling(by, tool, args))
}

// Code returns what a program learns of a refusal; "" if there was none.
func (r *Reply) Code() string {
	raw, _ := protocol.Lookup(r.Fault, "/data/code")
	if r.Fault == nil {
		raw, _ = protocol.Lookup(r.Result, "/_meta/"+strings.ReplaceAll(answer.MetaError, "/", "~1")+"/code")
	}
	code, _ := protocol.Text(raw)
	if code == "" && r.Get("/isError") == "true" {
		return "business_error"
	}
	return code
}

// Said is the code, or that there was a result.
func (r *Reply) Said() string {
	if code := r.Code(); code != "" {
		return code
	}
	return "result"
}

// Get returns the raw value at a pointer into the result or error; "" if there is none.
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

// Text returns a text at a pointer.
func (r *Reply) Text(pointer string) string {
	text, _ := protocol.Text([]byte(r.Get(pointer)))
	return text
}

// Receipt returns the envelope that the Reply carries.
func (r *Reply) Receipt() []byte {
	return []byte(r.Get("/_meta/" + strings.ReplaceAll(answer.MetaReceipt, "/", "~1")))
}

// Tools returns the names of a list.
func (r *Reply) Tools() []string {
	var names []string
	list, ok := protocol.Member(r.Result, "tools")
	if !ok {
		return nil
	}
	for tool := range protocol.Elements(list) {
		raw, _ := protocol.Member(tool, "name")
		name, _ := protocol.Text(raw)
		names = append(names, name)
	}
	return names
}

// Legacy sends a request of revision 2025-11-25 within a session; "" begins one.
func (s *Stage) Legacy(ctx context.Context, by, session, body string) (*Reply, error) {
	header := http.Header{}
	if session != "" {
		header.Set(protocol.HeaderSession, session)
		header.Set(protocol.HeaderVersion, protocol.Revision20251125)
	}
	return s.Post(ctx, "", by, body, header)
}
