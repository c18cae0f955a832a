package e2e

import (
	"bytes"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

const (
	status      = "incident__get_service_status"
	window      = `{"service":"payments","window_minutes":5}`
	deployments = "incident__list_recent_deployments"
	since       = `{"service":"payments","since":"2026-08-31T23:00:00Z"}`
	create      = "incident__create_incident_ticket"
)

// wire is one request and what must come of it.
type wire struct {
	name   string
	change func(*stage.Request) // of a correct tools/list, or tools/call where call is set
	call   bool
	status int
	rpc    int          // JSON-RPC error code; 0 = a result, or no body
	code   gateway.Code // of the refusal
	also   func(*testing.T, *stage.Reply)
}

func b64(s string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=" }

func header(name string, values ...string) func(*stage.Request) {
	return func(r *stage.Request) { r.With(name, values...) }
}

func verb(v string) func(*stage.Request) { return func(r *stage.Request) { r.Verb = v } }
func at(path string) func(*stage.Request) {
	return func(r *stage.Request) { r.At(path) }
}
func host(h string) func(*stage.Request) { return func(r *stage.Request) { r.Host = h } }
func meta(m string) func(*stage.Request) { return func(r *stage.Request) { r.Meta = m } }
func id(raw string) func(*stage.Request) { return func(r *stage.Request) { r.ID = raw } }
func body(b string) func(*stage.Request) { return func(r *stage.Request) { r.Saying(b) } }
func params(p string) func(*stage.Request) {
	return func(r *stage.Request) { r.Params = p }
}

// method asks for another method, by header and body alike.
func method(m string) func(*stage.Request) {
	return func(r *stage.Request) { r.With(protocol.HeaderMethod, m).Method = m }
}

// version names another revision, by header and body alike.
func version(v string) func(*stage.Request) {
	return func(r *stage.Request) {
		r.With(protocol.HeaderVersion, v).Meta = strings.Replace(stage.Meta, protocol.Revision20260728, v, 1)
	}
}

func all(changes ...func(*stage.Request)) func(*stage.Request) {
	return func(r *stage.Request) {
		for _, c := range changes {
			c(r)
		}
	}
}

// edit changes the text of the body.
func edit(before, after string) func(*stage.Request) {
	return func(r *stage.Request) { r.Saying(strings.Replace(r.Text(), before, after, 1)) }
}

func echoes(id string) func(*testing.T, *stage.Reply) {
	return func(t *testing.T, r *stage.Reply) {
		if r.ID != id {
			t.Errorf("id %s came back as %q", id, r.ID)
		}
	}
}

func noID(t *testing.T, r *stage.Reply) {
	if _, ok := protocol.Member(r.Body, "id"); ok {
		t.Errorf("an id where none could be read: %s", r.Body)
	}
}

func allowsPOST(t *testing.T, r *stage.Reply) {
	if got := r.Header["Allow"]; len(got) != 1 || got[0] != http.MethodPost {
		t.Errorf("Allow is %q", got)
	}
}

func namesVersions(requested string) func(*testing.T, *stage.Reply) {
	return func(t *testing.T, r *stage.Reply) {
		if r.Get("/data/supported") != `["2026-07-28"]` || r.Get("/data/requested") != `"`+requested+`"` {
			t.Errorf("data is %s", r.Get("/data"))
		}
	}
}

// wires are the rules S1 to S20 of the transport, by row.
func wires() map[string][]wire {
	const (
		ok, bad     = 200, 400
		mismatch    = gateway.CodeHeaderMismatch
		unsupported = gateway.CodeUnsupportedVersion
		invalid     = gateway.CodeInvalidParams
		malformed   = gateway.CodeMalformed
		origin      = gateway.CodeForbiddenOrigin
	)
	version405 := func(v string) wire {
		return wire{name: v, change: verb(v), status: 405, rpc: 1405, code: gateway.CodeMethodNotAllowed, also: allowsPOST}
	}
	return map[string][]wire{
		"S1 one endpoint, POST only": {
			{name: "POST", status: ok},
			{name: "POST to one upstream", change: at("/mcp/incident"), status: ok},
			version405(http.MethodGet), version405(http.MethodDelete), version405(http.MethodPut),
			version405(http.MethodOptions), version405(http.MethodPatch),
			{name: "HEAD", change: verb(http.MethodHead), status: 405, also: allowsPOST},
			{name: "GET of one upstream", change: all(verb(http.MethodGet), at("/mcp/incident")), status: 405, rpc: 1405,
				code: gateway.CodeMethodNotAllowed, also: allowsPOST},
			{name: "unknown upstream", change: at("/mcp/xyz"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "case differs", change: at("/mcp/Incident"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "below an upstream", change: at("/mcp/incident/x"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "behind a slash", change: at("/mcp/incident/"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "no name", change: at("/mcp/"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "escaped slash", change: at("/mcp/incident%2Fx"), status: 404, rpc: 1404, code: gateway.CodeNotFound, also: listsNothing},
			{name: "another path", change: at("/servers/xyz/mcp"), status: 404, also: listsNothing},
			{name: "the root", change: at("/"), status: 404, also: listsNothing},
		},
		"S2 Origin": {
			{name: "foreign", change: header("Origin", "https://evil.example"), status: 403, rpc: 1403, code: origin, also: listsNothing},
			{name: "null", change: header("Origin", "null"), status: 403, rpc: 1403, code: origin},
			{name: "empty", change: header("Origin", ""), status: 403, rpc: 1403, code: origin},
			{name: "configured", change: header("Origin", "https://app.example"), status: ok},
			{name: "configured, in capitals", change: header("Origin", "HTTPS://App.Example"), status: ok},
			{name: "configured, another port", change: header("Origin", "https://app.example:8443"), status: 403, rpc: 1403, code: origin},
			{name: "configured, another scheme", change: header("Origin", "http://app.example"), status: 403, rpc: 1403, code: origin},
			{name: "prefix of configured", change: header("Origin", "https://app.example.evil"), status: 403, rpc: 1403, code: origin},
			{name: "repeated", change: header("Origin", "https://app.example", "https://evil.example"), status: 403, rpc: 1403, code: origin},
			{name: "two in one", change: header("Origin", "https://app.example https://evil.example"), status: 403, rpc: 1403, code: origin},
			{name: "cross-site without Origin", change: header("Sec-Fetch-Site", "cross-site"), status: 403, rpc: 1403, code: origin},
			{name: "same-origin", change: header("Sec-Fetch-Site", "same-origin"), status: ok},
		},
		"S3 Host": {
			{name: "foreign", change: host("evil.example"), status: 403, rpc: 1403, code: origin, also: listsNothing},
			{name: "foreign with port", change: host("evil.example:8080"), status: 403, rpc: 1403, code: origin},
			{name: "configured", change: host("gw.example"), status: ok},
			{name: "configured with port", change: host("gw.example:8443"), status: ok},
			{name: "configured as prefix", change: host("gw.example.evil"), status: 403, rpc: 1403, code: origin},
			{name: "localhost", change: host("LocalHost:1"), status: ok},
			{name: "IPv6 loopback", change: host("[::1]:8080"), status: ok},
			{name: "loopback as prefix", change: host("127.0.0.1.evil.example"), status: 403, rpc: 1403, code: origin},
			{name: "short loopback", change: host("127.1"), status: 403, rpc: 1403, code: origin},
			{name: "another address", change: host("10.0.0.1"), status: 403, rpc: 1403, code: origin},
			{name: "unspecified address", change: host("0.0.0.0"), status: 403, rpc: 1403, code: origin},
		},
		"media types": {
			{name: "with charset", change: header("Content-Type", "application/json; charset=utf-8"), status: ok},
			{name: "in capitals", change: header("Content-Type", "Application/JSON"), status: ok},
			{name: "text", change: header("Content-Type", "text/plain"), status: 415, rpc: 1415, code: gateway.CodeMediaType},
			{name: "form", change: header("Content-Type", "application/x-www-form-urlencoded"), status: 415, rpc: 1415, code: gateway.CodeMediaType},
			{name: "none", change: header("Content-Type"), status: 415, rpc: 1415, code: gateway.CodeMediaType},
			{name: "repeated", change: header("Content-Type", "application/json", "text/plain"), status: 415, rpc: 1415, code: gateway.CodeMediaType},
			{name: "Latin-1", change: header("Content-Type", "application/json; charset=iso-8859-1"), status: 415, rpc: 1415, code: gateway.CodeMediaType},
			{name: "answer as HTML only", change: header("Accept", "text/html"), status: 406, rpc: 1406, code: gateway.CodeNotAcceptable},
			{name: "any answer", change: header("Accept", "*/*"), status: ok},
			{name: "no Accept", change: header("Accept"), status: ok},
		},
		"S4 version header": {
			{name: "missing", change: header(protocol.HeaderVersion), status: bad, rpc: -32020, code: mismatch, also: echoes("1")},
			{name: "empty", change: header(protocol.HeaderVersion, ""), status: bad, rpc: -32020, code: mismatch},
			{name: "different", change: header(protocol.HeaderVersion, "2025-11-25"), status: bad, rpc: -32020, code: mismatch},
			{name: "different, unknown", change: header(protocol.HeaderVersion, "2099-01-01"), status: bad, rpc: -32020, code: mismatch},
			{name: "repeated, equal", change: header(protocol.HeaderVersion, "2026-07-28", "2026-07-28"), status: bad, rpc: -32020, code: mismatch},
			{name: "repeated, different", change: header(protocol.HeaderVersion, "2026-07-28", "2025-11-25"), status: bad, rpc: -32020, code: mismatch},
			{name: "encoded", change: header(protocol.HeaderVersion, b64("2026-07-28")), status: bad, rpc: -32020, code: mismatch},
		},
		"S5 method and name headers": {
			{name: "method missing", change: header(protocol.HeaderMethod), status: bad, rpc: -32020, code: mismatch},
			{name: "method different", change: header(protocol.HeaderMethod, "tools/call"), status: bad, rpc: -32020, code: mismatch},
			{name: "method in capitals", change: header(protocol.HeaderMethod, "TOOLS/LIST"), status: bad, rpc: -32020, code: mismatch},
			{name: "method repeated", change: header(protocol.HeaderMethod, "tools/list", "tools/list"), status: bad, rpc: -32020, code: mismatch},
			{name: "name missing", call: true, change: header(protocol.HeaderName), status: bad, rpc: -32020, code: mismatch},
			{name: "name empty", call: true, change: header(protocol.HeaderName, ""), status: bad, rpc: -32020, code: mismatch},
			{name: "name different", call: true, change: header(protocol.HeaderName, deployments), status: bad, rpc: -32020, code: mismatch},
			{name: "name in capitals", call: true, change: header(protocol.HeaderName, strings.ToUpper(status)), status: bad, rpc: -32020, code: mismatch},
			{name: "name repeated", call: true, change: header(protocol.HeaderName, status, status), status: bad, rpc: -32020, code: mismatch},
			{name: "name where none belongs", change: header(protocol.HeaderName, "whatever"), status: ok},
			{name: "header names in capitals", change: func(r *stage.Request) {
				r.With(protocol.HeaderMethod)
				r.Header["MCP-METHOD"] = []string{protocol.MethodToolsList}
			}, status: ok},
		},
		"S6 encoded name": {
			{name: "equal", call: true, change: header(protocol.HeaderName, b64(status)), status: ok},
			{name: "lying", call: true, change: header(protocol.HeaderName, b64(deployments)), status: bad, rpc: -32020, code: mismatch},
			{name: "broken base64", call: true, change: header(protocol.HeaderName, "=?base64?%%%?="), status: bad, rpc: -32020, code: mismatch},
			{name: "no padding", call: true, change: header(protocol.HeaderName, strings.TrimRight(b64(status), "=?")+"?="), status: bad, rpc: -32020, code: mismatch},
			{name: "marker in capitals", call: true, change: header(protocol.HeaderName, strings.Replace(b64(status), "base64", "BASE64", 1)), status: bad, rpc: -32020, code: mismatch},
			{name: "not UTF-8", call: true, change: header(protocol.HeaderName, b64("\xff")), status: bad, rpc: -32020, code: mismatch},
			{name: "raw UTF-8", call: true, change: all(params(`"name":"é","arguments":{}`), header(protocol.HeaderName, "é")), status: bad, rpc: -32020, code: mismatch},
			{name: "encoded UTF-8", call: true, change: all(params(`"name":"é","arguments":{}`), header(protocol.HeaderName, b64("é"))), status: bad, rpc: -32602, code: gateway.CodeUnknownTool},
		},
		"S9 _meta": {
			{name: "missing", change: meta(""), status: bad, rpc: -32602, code: invalid},
			{name: "no params", change: body(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), status: bad, rpc: -32602, code: invalid},
			{name: "null", change: meta("null"), status: bad, rpc: -32602, code: invalid},
			{name: "an array", change: meta("[]"), status: bad, rpc: -32602, code: invalid},
			{name: "no version", change: meta(`{"` + protocol.MetaClientCapabilities + `":{}}`), status: bad, rpc: -32602, code: invalid},
			{name: "version of a wrong type", change: meta(`{"` + protocol.MetaVersion + `":20260728,"` + protocol.MetaClientCapabilities + `":{}}`), status: bad, rpc: -32602, code: invalid},
			{name: "no capabilities", change: meta(`{"` + protocol.MetaVersion + `":"2026-07-28"}`), status: bad, rpc: -32602, code: invalid},
			{name: "capabilities of a wrong type", change: meta(`{"` + protocol.MetaVersion + `":"2026-07-28","` + protocol.MetaClientCapabilities + `":[]}`), status: bad, rpc: -32602, code: invalid},
			{name: "no clientInfo", change: meta(`{"` + protocol.MetaVersion + `":"2026-07-28","` + protocol.MetaClientCapabilities + `":{}}`), status: ok},
			{name: "unknown log level", change: meta(strings.Replace(stage.Meta, "{", `{"`+protocol.MetaLogLevel+`":"loud",`, 1)), status: bad, rpc: -32602, code: invalid},
		},
		"S10 unsupported version": {
			{name: "older, unknown", change: version("1900-01-01"), status: bad, rpc: -32022, code: unsupported, also: namesVersions("1900-01-01")},
			{name: "of the earlier era, without a session", change: version("2025-06-18"), status: bad, rpc: -32020, code: mismatch},
			{name: "newer", change: version("2099-12-31"), status: bad, rpc: -32022, code: unsupported, also: namesVersions("2099-12-31")},
			{name: "no date", change: version("latest"), status: bad, rpc: -32022, code: unsupported, also: namesVersions("latest")},
			{name: "by header alone", change: all(meta(""), header(protocol.HeaderVersion, "2027-01-01")), status: bad, rpc: -32022, code: unsupported, also: namesVersions("2027-01-01")},
			{name: "of a call", call: true, change: version("2099-12-31"), status: bad, rpc: -32022, code: unsupported, also: namesVersions("2099-12-31")},
		},
		"S11 unknown method": {
			{name: "unheard of", change: method("tools/destroy"), status: 404, rpc: -32601, code: gateway.CodeUnknownMethod, also: echoes("1")},
			{name: "of the earlier era", change: method("ping"), status: 404, rpc: -32601, code: gateway.CodeUnknownMethod},
			{name: "in capitals", change: method("Tools/List"), status: 404, rpc: -32601, code: gateway.CodeUnknownMethod},
			{name: "that servers send", change: method("sampling/createMessage"), status: 404, rpc: -32601, code: gateway.CodeUnknownMethod},
			{name: "a notification with an id", change: method("notifications/cancelled"), status: 404, rpc: -32601, code: gateway.CodeUnknownMethod},
		},
		"S12 notifications": {
			{name: "cancelled", change: all(id(""), method("notifications/cancelled"), params(`"requestId":1`)), status: 202, also: empty},
			{name: "unknown", change: all(id(""), method("notifications/unheard_of")), status: 202, also: empty},
			{name: "a request without id", call: true, change: id(""), status: bad, rpc: -32600, code: malformed, also: noID},
		},
		"S16 ids": {
			{name: "null", change: id("null"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "1.5", change: id("1.5"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "1e3", change: id("1e3"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "1.0", change: id("1.0"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "true", change: id("true"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "an object", change: id("{}"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "an array", change: id("[1]"), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "a long string", change: id(`"` + strings.Repeat("x", 2000) + `"`), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "a long number", change: id(strings.Repeat("1", 200)), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "empty string", change: id(`""`), status: ok, also: echoes(`""`)},
			{name: "2^53+1", change: id("9007199254740993"), status: ok, also: echoes("9007199254740993")},
			{name: "beyond 64 bits", change: id("123456789012345678901234567890"), status: ok, also: echoes("123456789012345678901234567890")},
			{name: "0", change: id("0"), status: ok, also: echoes("0")},
			{name: "-1", change: id("-1"), status: ok, also: echoes("-1")},
			{name: "escapes", change: id(`"\u0041\/\n\"é\ud83d\ude00"`), status: ok, also: echoes(`"\u0041\/\n\"é\ud83d\ude00"`)},
			{name: "in a refusal", call: true, change: all(id(`"\u0041"`), params(`"name":"x"`), header(protocol.HeaderName, "x")), status: bad, rpc: -32602, code: gateway.CodeUnknownTool, also: echoes(`"\u0041"`)},
			{name: "in a tool's result", call: true, change: id(`"\u0000"`), status: ok, also: echoes(`"\u0000"`)},
		},
		"S17 batches": {
			{name: "of one", change: body(`[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`), status: bad, rpc: -32600, code: malformed, also: noID},
			{name: "empty", change: body(`[]`), status: bad, rpc: -32600, code: malformed},
		},
		"S18 responses": {
			{name: "a result", change: body(`{"jsonrpc":"2.0","id":1,"result":{}}`), status: bad, rpc: -32600, code: malformed},
			{name: "an error", change: body(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`), status: bad, rpc: -32600, code: malformed},
			{name: "method and result", change: edit(`"method"`, `"result":{},"method"`), status: bad, rpc: -32600, code: malformed},
		},
		"S20 one strict document": {
			{name: "invalid UTF-8", change: edit(`"stage"`, "\"\xff\""), status: bad, rpc: -32700, code: malformed, also: noID},
			{name: "lone surrogate", change: edit(`"stage"`, `"\ud800"`), status: bad, rpc: -32700, code: malformed},
			{name: "byte order mark", change: edit("{", "\xef\xbb\xbf{"), status: bad, rpc: -32700, code: malformed},
			{name: "UTF-16", change: body("\xff\xfe{\x00}\x00"), status: bad, rpc: -32700, code: malformed},
			{name: "trailing bytes", change: func(r *stage.Request) { r.Saying(r.Text() + "x") }, status: bad, rpc: -32700, code: malformed},
			{name: "two documents", change: func(r *stage.Request) { r.Saying(r.Text() + r.Text()) }, status: bad, rpc: -32700, code: malformed},
			{name: "white space around", change: func(r *stage.Request) { r.Saying("\r\n\t " + r.Text() + " \n") }, status: ok},
			{name: "duplicate name", change: edit(`"id":1`, `"id":1,"id":2`), status: bad, rpc: -32600, code: malformed},
			{name: "duplicate name by escape", change: edit(`"id":1`, `"id":1,"\u0069d":2`), status: bad, rpc: -32600, code: malformed},
			{name: "duplicate name in arguments", call: true, change: edit(`"service"`, `"service":"x","service"`), status: bad, rpc: -32600, code: malformed},
			{name: "empty body", change: body(""), status: bad, rpc: -32700, code: malformed},
			{name: "cut off", change: func(r *stage.Request) { r.Saying(r.Text()[:40]) }, status: bad, rpc: -32700, code: malformed},
			{name: "a scalar", change: body("42"), status: bad, rpc: -32600, code: malformed},
			{name: "no jsonrpc", change: edit(`"jsonrpc":"2.0",`, ""), status: bad, rpc: -32600, code: malformed, also: echoes("1")},
			{name: "another jsonrpc", change: edit(`"2.0"`, `"1.0"`), status: bad, rpc: -32600, code: malformed},
			{name: "method of a wrong type", change: edit(`"tools/list"`, `7`), status: bad, rpc: -32600, code: malformed},
			{name: "params of a wrong type", change: body(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`), status: bad, rpc: -32602, code: invalid},
			{name: "a member that nobody knows", change: edit(`"id":1`, `"id":1,"Method":"tools/call"`), status: ok},
		},
		"S8 unknown Mcp-Param headers": {
			{name: "ignored", call: true, change: header("Mcp-Param-Unheard-Of", "x"), status: ok},
			{name: "ignored on a list", change: header("Mcp-Param-Unheard-Of", "x"), status: ok},
		},
	}
}

func empty(t *testing.T, r *stage.Reply) {
	if len(r.Body) != 0 {
		t.Errorf("a body: %s", r.Body)
	}
}

func listsNothing(t *testing.T, r *stage.Reply) {
	if bytes.Contains(r.Body, []byte("get_service_status")) {
		t.Errorf("a tool was listed: %s", r.Body)
	}
}

// TestWire holds every rule of the transport, each by status, code and record.
func TestWire(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"service:read"}}},
		Upstreams:  []stage.Upstream{stage.Incident("incident")},
		Review:     stage.ReviewIncident,
		Listen:     `hosts: [gw.example], origins: ["https://app.example"]`,
	})
	for row, wires := range wires() {
		for _, w := range wires {
			t.Run(row+"/"+w.name, func(t *testing.T) { w.run(t, s) })
		}
	}
}

func (w *wire) run(t *testing.T, s *stage.Stage) {
	r := s.Host("alice").Ask(protocol.MethodToolsList, "")
	if w.call {
		r = s.Host("alice").Calling(status, window)
	}
	if w.change != nil {
		w.change(r)
	}
	reply := r.Send(t)
	if reply.Status != w.status || reply.RPC() != w.rpc || reply.Code() != string(w.code) {
		t.Errorf("answer is HTTP %d, JSON-RPC %d, %q; want %d, %d, %q: %.300s",
			reply.Status, reply.RPC(), reply.Code(), w.status, w.rpc, w.code, reply.Body)
	}
	if w.also != nil {
		w.also(t, reply)
	}
	w.checkRecord(t, s)
	if w.code != "" {
		sane(t, reply)
	}
}

// checkRecord holds that a known caller's request left its one event, and that
// one refused before anybody was known left none of its own.
func (w *wire) checkRecord(t *testing.T, s *stage.Stage) {
	t.Helper()
	rows := s.Events(t)
	switch w.code {
	case gateway.CodeMethodNotAllowed, gateway.CodeNotFound, gateway.CodeForbiddenOrigin, gateway.CodeMediaType, gateway.CodeNotAcceptable:
		if len(rows) != 0 {
			t.Errorf("a stranger's request left events of its own: %+v", rows)
		}
		return
	}
	if w.status == 202 || w.code == "" && w.status >= 400 {
		if len(rows) != 0 {
			t.Errorf("unexpected events: %+v", rows)
		}
		return
	}
	if len(rows) != 1 || rows[0].Code != w.code || rows[0].Principal == "" {
		t.Errorf("on record: %+v; want one event with code %q", rows, w.code)
	}
}

// sane holds what every answer owes its reader.
func sane(t *testing.T, r *stage.Reply) {
	t.Helper()
	if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers are %v", r.Header)
	}
	switch rpc := r.RPC(); {
	case r.Result != nil:
		if kind := r.Get("/resultType"); kind != `"complete"` {
			t.Errorf("resultType is %q", kind)
		}
	case r.Fault == nil:
		t.Errorf("neither result nor error: %s", r.Body)
	case rpc > 0:
	default:
		switch rpc {
		case -32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022:
		default:
			t.Errorf("JSON-RPC code %d is not ours to send", rpc)
		}
	}
}

// TestStrangersAreCounted holds that what is refused before anybody is known is
// counted, not recorded one by one.
func TestStrangersAreCounted(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Incident("incident")}, Review: stage.ReviewIncident})
	refusals := []struct {
		code   gateway.Code
		status int
		change func(*stage.Request)
	}{
		{gateway.CodeUnauthenticated, 401, header("Authorization")},
		{gateway.CodeUnauthenticated, 401, header("Authorization", "Bearer nonsense")},
		{gateway.CodeUnauthenticated, 401, header("Authorization", "Basic YTpi")},
		{gateway.CodeMalformedCredential, 400, header("Authorization", "Bearer a", "Bearer b")},
		{gateway.CodeMethodNotAllowed, 405, verb(http.MethodGet)},
		{gateway.CodeForbiddenOrigin, 403, host("evil.example")},
		{gateway.CodeMediaType, 415, header("Content-Type", "text/plain")},
		{gateway.CodeNotFound, 404, at("/mcp/xyz")},
	}
	const each = 3
	want := map[gateway.Code]int{}
	for _, refusal := range refusals {
		for range each {
			r := s.Host("alice").Ask(protocol.MethodToolsList, "")
			refusal.change(r)
			reply := r.Send(t)
			if reply.Status != refusal.status || reply.Code() != string(refusal.code) {
				t.Errorf("answer is %d %q, want %d %q", reply.Status, reply.Code(), refusal.status, refusal.code)
			}
			if challenge := reply.Header.Get("WWW-Authenticate"); (challenge != "") != (refusal.status == 401 || refusal.status == 400) {
				t.Errorf("challenge is %q with status %d", challenge, reply.Status)
			}
			want[refusal.code]++
		}
	}
	for code, n := range want {
		stage.Await(t, string(code)+" is counted", func() bool { return s.Counted(t, code) == n })
	}
	if rows := s.Events(t); len(rows) != 0 {
		t.Errorf("strangers left events of their own: %+v", rows)
	}
	if counted := s.Rows(t, audit.Filter{Type: audit.RefusedCounted}); len(counted) >= each*len(refusals) {
		t.Errorf("%d events for %d refusals: they were not counted together", len(counted), each*len(refusals))
	}
}

// TestNoHost speaks HTTP/1.1 without a Host header, which net/http can't.
func TestNoHost(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{})
	for _, head := range []string{"POST /mcp HTTP/1.1\r\n", "POST /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, head+"Content-Length: 0\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) {
			t.Errorf("%q got %.60q", head, answer)
		}
		_ = conn.Close() // read to its end
	}
}
