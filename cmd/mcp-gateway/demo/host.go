package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"mcp-gateway/protocol"
)

// reply is one answer of the gateway, as a host reads it.
type reply struct {
	status int
	result []byte // nil if it is a JSON-RPC error
	fault  []byte // the error object, or nil
}

// ask sends one request the way revision 2026-07-28 has it.
func (s *stage) ask(ctx context.Context, c *caller, method, name, params string) (*reply, error) {
	meta := `"_meta":{"` + protocol.MetaVersion + `":"` + protocol.Revision20260728 + `","` + protocol.MetaClientInfo +
		`":{"name":"demo","version":"1"},"` + protocol.MetaClientCapabilities + `":{}}`
	if params != "" {
		meta += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, meta, params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set(protocol.HeaderVersion, protocol.Revision20260728)
	req.Header.Set(protocol.HeaderMethod, method)
	if name != "" {
		req.Header.Set(protocol.HeaderName, protocol.EncodeHeader(name))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	m, err := protocol.ParseMessage(raw, protocol.DefaultLimits())
	return &reply{status: resp.StatusCode, result: m.Result, fault: m.Error}, err
}

// call sends tools/call.
func (s *stage) call(ctx context.Context, c *caller, tool, args string) (*reply, error) {
	return s.ask(ctx, c, protocol.MethodToolsCall, tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args))
}

// code returns what a program learns of a refusal; "" if there was none.
func (r *reply) code() string {
	raw, _ := protocol.Lookup(r.fault, "/data/code")
	if r.fault == nil {
		raw, _ = protocol.Lookup(r.result, "/_meta/mcp-gateway~1error/code")
	}
	code, _ := protocol.Text(raw)
	if code == "" && r.failed() {
		return "business_error"
	}
	return code
}

func (r *reply) failed() bool {
	raw, _ := protocol.Member(r.result, "isError")
	return string(raw) == "true"
}

// text returns what a model reads.
func (r *reply) text() string {
	raw, ok := protocol.Lookup(r.result, "/content/0/text")
	if !ok {
		raw, _ = protocol.Member(r.fault, "message")
	}
	text, _ := protocol.Text(raw)
	return text
}
