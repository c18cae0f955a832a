package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"mcp-gateway/protocol"
)

// saying makes the upstream's result object 289 bytes long.
const saying = "the quick brown fox jumps over the dog"

// resultSize is what the SDK's answer to a call must come to.
const resultSize = 289

// request is one fixed HTTP request and what its answer must hold.
type request struct {
	raw      []byte
	numbered bool          // callers at the same time need ids of their own
	many     [][]byte      // one after the other in its place
	turn     *atomic.Int64 // of many
	check    func(result []byte) error
}

const meta = `"_meta":{"` + protocol.MetaVersion + `":"` + protocol.Revision20260728 + `","` + protocol.MetaClientInfo +
	`":{"name":"bench","version":"1"},"` + protocol.MetaClientCapabilities + `":{}}`

func listBody() []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"` + protocol.MethodToolsList + `","params":{` + meta + `}}`)
}

func callBody(tool string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"name":%q,"arguments":{"text":%q}}}`,
		protocol.MethodToolsCall, meta, tool, saying)
}

// requestHeader is that of revision 2026-07-28.
func requestHeader(method, name, key string) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json, text/event-stream"},
	}
	h.Set(protocol.HeaderVersion, protocol.Revision20260728)
	h.Set(protocol.HeaderMethod, method)
	if name != "" {
		h.Set(protocol.HeaderName, name)
	}
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

func newCall(host, path, tool, key string, size int) request {
	return request{
		raw:   encode(host, path, requestHeader(protocol.MethodToolsCall, tool, key), callBody(tool)),
		check: func(result []byte) error { return checkCall(result, size) },
	}
}

// newFill asks for a text of about n bytes.
func newFill(host, path, tool, key string, n int) request {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"name":%q,"arguments":{"bytes":%d}}}`,
		protocol.MethodToolsCall, meta, tool, n)
	return request{
		raw: encode(host, path, requestHeader(protocol.MethodToolsCall, tool, key), body),
		check: func(result []byte) error {
			raw, _ := protocol.Lookup(result, "/content/0/text")
			if len(raw) < n-2*len(saying) {
				return fmt.Errorf("the text has %d bytes, wants %d", len(raw), n)
			}
			return nil
		},
	}
}

func newList(host, path, key string) request {
	return request{
		raw:   encode(host, path, requestHeader(protocol.MethodToolsList, "", key), listBody()),
		check: checkList,
	}
}

// encode writes a request as it goes over the wire.
func encode(host, path string, h http.Header, body []byte) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", path, host, len(body))
	_ = h.Write(&out) // a bytes.Buffer takes all
	out.WriteString("\r\n")
	out.Write(body)
	return out.Bytes()
}

// checkCall wants what was said, in a result that is no error. A size that is
// not zero is that of the result.
func checkCall(result []byte, size int) error {
	if raw, _ := protocol.Member(result, "isError"); string(raw) == "true" {
		return fmt.Errorf("the call failed: %.300s", result)
	}
	raw, _ := protocol.Lookup(result, "/structuredContent/echo")
	if echo, _ := protocol.Text(raw); echo != saying {
		return fmt.Errorf("the echo is not what was said: %.300s", result)
	}
	if size > 0 && len(result) != size {
		return fmt.Errorf("the result has %d bytes, wants %d: %s", len(result), size, result)
	}
	return nil
}

// checkList wants every tool of the catalog, each once.
func checkList(result []byte) error {
	tools, _ := protocol.Member(result, "tools")
	seen := make(map[string]bool)
	for tool := range protocol.Elements(tools) {
		raw, _ := protocol.Member(tool, "name")
		name, _ := protocol.Text(raw)
		if seen[name] || !strings.HasPrefix(name, "search_section_") {
			return fmt.Errorf("the list holds %s", raw)
		}
		seen[name] = true
	}
	if len(seen) != catalogSize {
		return fmt.Errorf("the list holds %d tools, wants %d", len(seen), catalogSize)
	}
	return nil
}

// judge refuses an answer that is not what the request wants: errors must not
// be measured.
func (r *request) judge(status int, body []byte) error {
	if status != http.StatusOK {
		return fmt.Errorf("status %d: %.300s", status, body)
	}
	limits := protocol.DefaultLimits()
	limits.Bytes = max(limits.Bytes, len(body)) // how large it is, is not the question here
	m, err := protocol.ParseMessage(body, limits)
	if err != nil {
		return fmt.Errorf("%w: %.300s", err, body)
	}
	if m.Result == nil {
		return fmt.Errorf("no result: %.300s", body)
	}
	return r.check(m.Result)
}
