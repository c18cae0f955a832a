package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestWhatIsWrongIsNamed holds that a host is told what is wrong with its message, in
// our own words and in none of its own.
func TestWhatIsWrongIsNamed(t *testing.T) {
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(`"x"`))))}})
	alice := s.Host("alice")
	said := func(body string) *stage.Request {
		return alice.Calling("up__good", `{}`).Saying(strings.Replace(body, "META", `"_meta":`+stage.Meta, 1))
	}
	without := func(member string) string {
		return strings.Replace(stage.Meta, `"`+member, `"other/`+member, 1)
	}
	const head = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"up__good"`
	for _, c := range []struct {
		name, field string
		request     *stage.Request
		reason      gateway.Reason
	}{
		{"twice a member", "", said(head + `,"name":"up__other"}}`), gateway.ReasonDuplicate},
		{"nested too deep", "", said(head + `,"arguments":` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300) + `}}`), gateway.ReasonDepth},
		{"a number too long", "", said(head + `,"arguments":{"n":` + strings.Repeat("9", 200) + `}}}`), gateway.ReasonNumber},
		{"an exponent too large", "", said(head + `,"arguments":{"n":1e99999}}}`), gateway.ReasonNumber},
		{"no UTF-8", "", said(head + `,"x":"` + "\xff" + `"}}`), gateway.ReasonNotUTF8},
		{"no JSON", "", said(head), gateway.ReasonNotJSON},
		{"an id that is none", "", said(strings.Replace(head, `"id":1`, `"id":1.5`, 1) + `}}`), gateway.ReasonID},
		{"no id", "", said(strings.Replace(head, `"id":1,`, ``, 1) + `}}`), gateway.ReasonID},
		{"another version of JSON-RPC", "", said(strings.Replace(head, `2.0`, `1.0`, 1) + `}}`), gateway.ReasonVersion},
		{"a response", "", said(`{"jsonrpc":"2.0","id":1,"result":{}}`), gateway.ReasonNotRequest},
		{"a list", "", said(`[]`), gateway.ReasonNotRequest},
		{"no revision", "/params/_meta/io.modelcontextprotocol~1protocolVersion", said(strings.Replace(head, "META", `"_meta":`+without(protocol.MetaVersion), 1) + `}}`), ""},
		{"no capabilities", "/params/_meta/io.modelcontextprotocol~1clientCapabilities", said(strings.Replace(head, "META", `"_meta":`+without(protocol.MetaClientCapabilities), 1) + `}}`), ""},
		{"capabilities of another kind", "/params/_meta/io.modelcontextprotocol~1clientCapabilities", said(strings.Replace(head, "META", `"_meta":`+strings.Replace(stage.Meta, `":{},`, `":[],`, 1), 1) + `}}`), ""},
		{"no name", "/params/name", said(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META}}`).With(protocol.HeaderName), ""},
		{"arguments of another kind", "/params/arguments", said(head + `,"arguments":[]}}`), ""},
		{"no method's header", "Mcp-Method", said(head + `}}`).With(protocol.HeaderMethod), ""},
		{"another name in the header", "Mcp-Name", said(head+`}}`).With(protocol.HeaderName, "up__other"), ""},
		{"another revision in the header", "Mcp-Protocol-Version", said(strings.Replace(head, "META", `"_meta":`+strings.Replace(stage.Meta, "2026-07-28", "2026-07-29", 1), 1) + `}}`), ""},
	} {
		r := c.request.Send(t)
		field, _ := protocol.Text([]byte(r.Get("/data/field")))
		if r.Fault == nil || field != c.field || r.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want the field %q", c.name, r.Status, r.Body, c.field)
		}
		want := []gateway.Reason{gateway.ReasonMalformed, c.reason}
		if c.reason == "" {
			want = nil
		} else if !strings.Contains(r.Get("/data/reasons"), string(c.reason)) {
			t.Errorf("%s: %s, want %s", c.name, r.Body, c.reason)
		}
		if strings.Contains(c.name, "no id") || strings.Contains(c.name, "response") { // nothing that waits for an answer
			s.Events(t)
			continue
		}
		if row := s.OneEvent(t); !slices.Equal(row.Reasons, want) || row.Type != audit.RequestRefused && row.Type != audit.ToolRefused {
			t.Errorf("%s: %s %s, want %s", c.name, row.Type, row.Reasons, want)
		}
	}
}

// TestOddPaths holds that a path that is spelled oddly is no endpoint, and that no
// credential is led anywhere else.
func TestOddPaths(t *testing.T) {
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", stage.NewPeer().Add(stage.Tool("good"), stage.Result(stage.Text(`"x"`))))}})
	hosts := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for path, want := range map[string]int{
		"/mcp": 200, "/mcp/up": 200, "/mcp//evil": 404, "/mcp//up": 404, "/mcp/": 404, "/mcp/up/": 404, "/mcp/../mcp": 404, "//mcp": 404, "/mcp/./up": 404, "/MCP": 404, "/": 404,
		"/mcp%2fup": 200, // the same path, spelled with an escape
	} {
		ask := s.Host("alice").Ask(protocol.MethodToolsList, "")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(ask.Text()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header, req.URL.Opaque = ask.Header, "//"+req.URL.Host+path
		resp, err := hosts.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // its status is all that counts
		if resp.StatusCode != want || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s, want %d", path, resp.StatusCode, resp.Header.Get("Location"), want)
		}
	}
}
