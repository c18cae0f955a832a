package demo

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

// reply is one answer of the gateway, as a host reads it.
type reply struct {
	status  int
	session string
	id      string // the JSON-RPC id as it came
	result  []byte // nil if it is a JSON-RPC error
	fault   []byte // the error object, or nil
}

// request is what a host of revision 2026-07-28 sends, and what may differ.
type request struct {
	url      string // of another gateway than the stage's; "" = that
	by       string
	method   string
	name     string // for the Mcp-Name header
	params   string // members, without _meta
	meta     string // further members of _meta
	id       string // "" = 1
	revision string // "" = the newest
	elicits  bool   // the host declares that it can ask its user
}

// ask sends one request.
func (s *stage) ask(ctx context.Context, q request) (*reply, error) {
	body, header := s.render(q)
	return s.post(ctx, q.url, q.by, body, header)
}

// render is the request as it goes over HTTP.
func (s *stage) render(q request) (body string, header http.Header) {
	if q.id == "" {
		q.id = "1"
	}
	if q.revision == "" {
		q.revision = protocol.Revision20260728
	}
	able := "{}"
	if q.elicits {
		able = `{"elicitation":{"form":{}}}`
	}
	meta := fmt.Sprintf(`"_meta":{%q:%q,%q:{"name":"demo","version":"1"},%q:%s`, protocol.MetaVersion, q.revision, protocol.MetaClientInfo, protocol.MetaClientCapabilities, able)
	if q.meta != "" {
		meta += "," + q.meta
	}
	meta += "}"
	if q.params != "" {
		meta += ","
	}
	header = http.Header{}
	header.Set(protocol.HeaderVersion, q.revision)
	header.Set(protocol.HeaderMethod, q.method)
	if q.name != "" {
		header.Set(protocol.HeaderName, protocol.EncodeHeader(q.name))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, q.id, q.method, meta, q.params), header
}

// step is how much time goes by with each request.
const step = 100 * time.Millisecond

// post sends a body as it is.
func (s *stage) post(ctx context.Context, url, by, body string, header http.Header) (*reply, error) {
	s.wait(step)
	s.sent++
	if url == "" {
		url = s.url
	}
	return s.deliver(ctx, url, by, body, header)
}

// deliver sends a body at this moment.
func (s *stage) deliver(ctx context.Context, url, by, body string, header http.Header) (*reply, error) {
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

func send(req *http.Request) (*reply, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	r := &reply{status: resp.StatusCode, session: resp.Header.Get(protocol.HeaderSession)}
	if len(raw) == 0 {
		return r, nil
	}
	m, err := protocol.ParseMessage(unframed(raw), protocol.DefaultLimits())
	r.id, r.result, r.fault = string(m.ID), m.Result, m.Error
	return r, err
}

// unframed takes a message out of an event stream of one.
func unframed(raw []byte) []byte {
	if _, data, ok := bytes.Cut(raw, []byte("data: ")); ok && raw[0] != '{' {
		raw, _, _ = bytes.Cut(data, []byte("\n"))
	}
	return raw
}

// calling is a tools/call.
func calling(by, tool, args string) request {
	return request{by: by, method: protocol.MethodToolsCall, name: tool, params: fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)}
}

// keyed is the same call with an idempotency key.
func (q request) keyed(key string) request {
	q.meta = fmt.Sprintf(`%q:%q`, call.MetaKey, key)
	return q
}

// call sends a tools/call.
func (s *stage) call(ctx context.Context, by, tool, args string) (*reply, error) {
	return s.ask(ctx, calling(by, tool, args))
}

// code returns what a program learns of a refusal; "" if there was none.
func (r *reply) code() string {
	raw, _ := protocol.Lookup(r.fault, "/data/code")
	if r.fault == nil {
		raw, _ = protocol.Lookup(r.result, "/_meta/"+strings.ReplaceAll(answer.MetaError, "/", "~1")+"/code")
	}
	code, _ := protocol.Text(raw)
	if code == "" && r.get("/isError") == "true" {
		return "business_error"
	}
	return code
}

// said is the code, or that there was a result.
func (r *reply) said() string {
	if code := r.code(); code != "" {
		return code
	}
	return "result"
}

// get returns the raw value at a pointer into the result or error; "" if there is none.
func (r *reply) get(pointer string) string {
	whole := r.result
	if whole == nil {
		whole = r.fault
	}
	if whole == nil {
		return ""
	}
	value, _ := protocol.Lookup(whole, pointer)
	return string(value)
}

// text returns a text at a pointer.
func (r *reply) text(pointer string) string {
	text, _ := protocol.Text([]byte(r.get(pointer)))
	return text
}

// receipt returns the envelope that the reply carries.
func (r *reply) receipt() []byte {
	return []byte(r.get("/_meta/" + strings.ReplaceAll(answer.MetaReceipt, "/", "~1")))
}

// tools returns the names of a list.
func (r *reply) tools() []string {
	var names []string
	list, ok := protocol.Member(r.result, "tools")
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

// legacy sends a request of revision 2025-11-25 within a session; "" begins one.
func (s *stage) legacy(ctx context.Context, by, session, body string) (*reply, error) {
	header := http.Header{}
	if session != "" {
		header.Set(protocol.HeaderSession, session)
		header.Set(protocol.HeaderVersion, protocol.Revision20251125)
	}
	return s.post(ctx, "", by, body, header)
}
