package protocol_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

const typicalCall = `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"incident__get_service_status",` +
	`"arguments":{"service":"payments","window_minutes":5,"labels":{"team":"payments-oncall","region":"eu-central-1"},"verbose":false},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"example-host","version":"1.4.2"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}`

func parse(raw string) (*protocol.Request, error) {
	return protocol.ParseRequest([]byte(raw), protocol.DefaultLimits())
}

func codeOf(err error) gateway.Code {
	if e, ok := errors.AsType[*gateway.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestParseRequest(t *testing.T) {
	r, err := parse(typicalCall)
	if err != nil {
		t.Fatal(err)
	}
	if string(r.ID) != "4711" || r.Method != protocol.MethodToolsCall || r.Meta.Version != protocol.Revision20260728 {
		t.Errorf("%+v", r)
	}
	if string(r.Meta.ClientInfo) != `{"name":"example-host","version":"1.4.2"}` || string(r.Meta.ClientCapabilities) != `{"elicitation":{"form":{}}}` {
		t.Errorf("%s %s", r.Meta.ClientInfo, r.Meta.ClientCapabilities)
	}
	if r.Meta.TraceParent != "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" || !bytes.HasPrefix(r.Meta.Raw, []byte(`{"io.`)) {
		t.Errorf("%+v", r.Meta)
	}
	if !bytes.Contains([]byte(typicalCall), r.Params) || !bytes.HasSuffix(r.Params[:len(r.Params)-1], r.Meta.Raw) {
		t.Errorf("%s", r.Params)
	}
}

func TestIDsAreKeptAsSent(t *testing.T) {
	for _, id := range []string{`1`, `0`, `-0`, `-5`, `9007199254740992`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"a"`, `"\u0061"`, `"1"`, `"é"`} {
		r, err := parse(`{"jsonrpc":"2.0","id": ` + id + ` ,"method":"ping"}`)
		if err != nil || string(r.ID) != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{`null`, `1.5`, `1.0`, `1e3`, `1E0`, `true`, `false`, `{}`, `[]`, `[1]`, `"` + strings.Repeat("x", 2000) + `"`} {
		if r, err := parse(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`); codeOf(err) != gateway.CodeMalformed || r != nil {
			t.Errorf("%.20s: %+v %v", id, r, err)
		}
	}
	if r, err := parse(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`); err != nil || r.ID != nil {
		t.Errorf("notification: %+v %v", r, err)
	}
}

func TestParseRequestRefusals(t *testing.T) {
	const malformed, params = gateway.CodeMalformed, gateway.CodeInvalidParams
	for _, c := range []struct {
		raw  string
		code gateway.Code
		rpc  int
		id   string
	}{
		{`[]`, malformed, -32600, ""},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, malformed, -32600, ""},
		{`"ping"`, malformed, -32600, ""},
		{`{}`, malformed, -32600, ""},
		{``, malformed, -32700, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, malformed, -32700, ""},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, malformed, -32600, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e99999}}`, malformed, -32600, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","error":null}`, malformed, -32600, "1"},
		{`{"id":"a","method":"ping"}`, malformed, -32600, `"a"`},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, malformed, -32600, "1"},
		{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"Method":"ping"}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method\u0000":"ping"}`, malformed, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":null}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/clientInfo":"x"}}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":null}}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/logLevel":"loud"}}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1.5}}}`, params, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":null}}}`, params, -32602, "1"},
	} {
		r, err := parse(c.raw)
		if codeOf(err) != c.code || protocol.RPCCodeOf(err) != c.rpc {
			t.Errorf("%s: %v, %d", c.raw, err, protocol.RPCCodeOf(err))
		}
		id := ""
		if r != nil {
			id = string(r.ID)
			if r.Method != "" || r.Params != nil || r.Meta.Raw != nil {
				t.Errorf("%s: a refused request says %+v", c.raw, r)
			}
		}
		if id != c.id {
			t.Errorf("%s: id %q", c.raw, id)
		}
	}
	_, err := protocol.ParseRequest([]byte(typicalCall), protocol.Limits{Bytes: 100})
	if codeOf(err) != gateway.CodeTooLarge {
		t.Errorf("%v", err)
	}
}

func TestUnknownMembersAreTolerated(t *testing.T) {
	r, err := parse(`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","method\u0000":"tools/call","METHOD":0,"Params":{"x":1},"ID":2,"extra":[1]}`)
	if err != nil || r.Method != protocol.MethodToolsList || string(r.ID) != "1" || r.Params != nil {
		t.Errorf("%+v %v", r, err)
	}
	if r, err = parse(`{"jsonrpc":"\u0032.0","id":1,"m\u0065thod":"tools\/list"}`); err != nil || r.Method != protocol.MethodToolsList {
		t.Errorf("%+v %v", r, err)
	}
}

func TestTraceContext(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct{ parent, state, wantParent, wantState string }{
		{good, "a=1,b=2", good, "a=1,b=2"},
		{good, strings.Repeat("x", 513), good, ""},
		{good, "a=\\u0000", good, ""},
		{"", "a=1", "", ""},
		{strings.ToUpper(good), "a=1", "", ""},
		{"01" + good[2:], "", "", ""},
		{good + "-x", "", "", ""},
		{good[:54], "", "", ""},
		{"00-00000000000000000000000000000000-b7ad6b7169203331-01", "", "", ""},
		{"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "", "", ""},
		{"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", "", "", ""},
		{"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "", "", ""},
	} {
		r, err := parse(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"tracestate":"` + c.state + `","traceparent":"` + c.parent + `"}}}`)
		if err != nil || r.Meta.TraceParent != c.wantParent || r.Meta.TraceState != c.wantState {
			t.Errorf("%q: %+v %v", c.parent, r, err)
		}
	}
	if r, err := parse(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"traceparent":7,"tracestate":{},"progressToken":9007199254740993,"io.modelcontextprotocol/logLevel":"warning"}}}`); err != nil ||
		string(r.Meta.ProgressToken) != "9007199254740993" || r.Meta.LogLevel != "warning" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestParseMessage(t *testing.T) {
	for raw, want := range map[string]protocol.Message{
		`{"jsonrpc":"2.0","id":"x","result":{"a":1.0}}`:                             {ID: []byte(`"x"`), Result: []byte(`{"a":1.0}`)},
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`:                {ID: []byte(`1`), Error: []byte(`{"code":-1,"message":"m"}`)},
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`:          {Error: []byte(`{"code":-32700,"message":""}`)},
		`{"jsonrpc":"2.0","error":{}}`:                                              {Error: []byte(`{}`)},
		`{"jsonrpc":"2.0","method":"notifications/x","params":{}}`:                  {Method: "notifications/x", Params: []byte(`{}`)},
		`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`:                            {ID: []byte(`7`), Method: "roots/list"},
		` {"jsonrpc":"2.0","id":7,"method":"roots/list","unknown":{"a":[]}}` + "\n": {ID: []byte(`7`), Method: "roots/list"},
	} {
		m, err := protocol.ParseMessage([]byte(raw), protocol.DefaultLimits())
		if err != nil || string(m.ID) != string(want.ID) || m.Method != want.Method || string(m.Params) != string(want.Params) ||
			string(m.Result) != string(want.Result) || string(m.Error) != string(want.Error) {
			t.Errorf("%s: %+v %v", raw, m, err)
		}
	}
	for _, raw := range []string{
		``, `[]`, `1`, `{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`, `{"id":1,"result":{}}`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","id":1.5,"result":{}}`, `{"jsonrpc":"2.0","id":true,"error":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, `{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"result":[]}`, `{"jsonrpc":"2.0","id":1,"result":"x"}`, `{"jsonrpc":"2.0","id":1,"error":null}`, `{"jsonrpc":"2.0","id":1,"error":"x"}`,
		`{"jsonrpc":"2.0","method":"x","params":[]}`, `{"jsonrpc":"2.0","method":""}`, `{"jsonrpc":"2.0","method":1}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`, `{"jsonrpc":"2.0","id":1,"result":{}}x`, `<html>`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}",
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat(`{"a":`, 100_000),
	} {
		if m, err := protocol.ParseMessage([]byte(raw), protocol.DefaultLimits()); codeOf(err) != gateway.CodeMalformed {
			t.Errorf("%.80s: %+v %v", raw, m, err)
		}
	}
}

func TestParseRPCError(t *testing.T) {
	e, ok := protocol.ParseRPCError([]byte(`{"code":-32020,"message":"Header\u0020mismatch","data":{"x":1.0},"extra":1}`))
	if !ok || e.Code != -32020 || e.Message != "Header mismatch" || string(e.Data) != `{"x":1.0}` {
		t.Errorf("%+v", e)
	}
	for _, raw := range []string{`{}`, `{"code":1}`, `{"message":"x"}`, `{"code":"1","message":"x"}`, `{"code":1.5,"message":"x"}`, `{"code":1e3,"message":"x"}`, `{"code":99999999999999999999,"message":"x"}`, `{"code":1,"message":null}`, `[]`, `null`} {
		if e, ok := protocol.ParseRPCError([]byte(raw)); ok {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}

func TestAppendResponses(t *testing.T) {
	for got, want := range map[string]string{
		string(protocol.AppendResponse(nil, []byte(`9007199254740993`), []byte(`{"a":1.0}`))):                       `{"jsonrpc":"2.0","id":9007199254740993,"result":{"a":1.0}}`,
		string(protocol.AppendErrorResponse([]byte("x"), []byte(`"é"`), -32602, "say \"no\"\n", []byte(`{"a":1}`))): `x{"jsonrpc":"2.0","id":"é","error":{"code":-32602,"message":"say \"no\"\n","data":{"a":1}}}`,
		string(protocol.AppendErrorResponse(nil, nil, 4001, "m", nil)):                                              `{"jsonrpc":"2.0","error":{"code":4001,"message":"m"}}`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := protocol.ParseMessage([]byte(strings.TrimPrefix(got, "x")), protocol.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestRevisions(t *testing.T) {
	revs := protocol.Revisions()
	if len(revs) != 5 || !slices.IsSortedFunc(revs, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%v", revs)
	}
	revs[0] = "changed"
	if protocol.Revisions()[0] != protocol.Revision20260728 {
		t.Error("a caller can change the revisions")
	}
	for rev, want := range map[string][2]bool{"2026-07-28": {true, true}, "2027-01-01": {true, false}, "2025-11-25": {false, true}, "2024-11-05": {false, true}, "1900-01-01": {false, false},
		"": {}, "latest": {}, "2026-7-28": {}, "9": {}, "zzzz-zz-zz": {}, "2026-07-28 ": {}, "2026-07-2x": {}, "20260-7-28": {}} {
		if protocol.IsModern(rev) != want[0] || protocol.IsKnown(rev) != want[1] {
			t.Errorf("%q: modern %v, known %v", rev, protocol.IsModern(rev), protocol.IsKnown(rev))
		}
	}
	for _, c := range []struct {
		theirs []string
		want   string
	}{{nil, ""}, {[]string{"2025-03-26", "2025-11-25", "2024-11-05"}, "2025-11-25"}, {[]string{"2030-01-01"}, ""}, {[]string{"2030-01-01", "2026-07-28"}, "2026-07-28"}} {
		if got := protocol.HighestCommon(protocol.Revisions(), c.theirs); got != c.want {
			t.Errorf("%v: %q", c.theirs, got)
		}
	}
}

func TestCheckHeaders(t *testing.T) {
	call, err := parse(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wetter_zürich","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	read, err := parse(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"name":"no","uri":"file:///a"}}`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := parse(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err != nil {
		t.Fatal(err)
	}
	const name = "=?base64?d2V0dGVyX3rDvHJpY2g=?="
	headers := func(version, method, name []string) http.Header {
		h := http.Header{}
		for key, values := range map[string][]string{protocol.HeaderVersion: version, protocol.HeaderMethod: method, protocol.HeaderName: name} {
			for _, v := range values {
				h.Add(key, v)
			}
		}
		return h
	}
	one := func(s string) []string { return []string{s} }
	version, method := one("2026-07-28"), one("tools/call")
	for _, c := range []struct {
		what             string
		h                http.Header
		r                *protocol.Request
		required, absent bool // accepted when required, accepted when not
	}{
		{"all", headers(version, method, one(name)), call, true, true},
		{"none", http.Header{}, call, false, true},
		{"no version", headers(nil, method, one(name)), call, false, true},
		{"no method", headers(version, nil, one(name)), call, false, true},
		{"no name", headers(version, method, nil), call, false, true},
		{"other version", headers(one("2025-11-25"), method, one(name)), call, false, false},
		{"other method", headers(version, one("tools/list"), one(name)), call, false, false},
		{"method in capitals", headers(version, one("Tools/Call"), one(name)), call, false, false},
		{"method encoded", headers(version, one("=?base64?dG9vbHMvY2FsbA==?="), one(name)), call, false, false},
		{"other name", headers(version, method, one("wetter")), call, false, false},
		{"name in raw UTF-8", headers(version, method, one("wetter_zürich")), call, false, false},
		{"name wrongly encoded", headers(version, method, one("=?base64?d2V0?")), call, false, false},
		{"version twice", headers([]string{"2026-07-28", "2026-07-28"}, method, one(name)), call, false, false},
		{"method twice", headers(version, []string{"tools/call", "tools/call"}, one(name)), call, false, false},
		{"name twice", headers(version, method, []string{name, name}), call, false, false},
		{"uri", headers(version, one("resources/read"), one("file:///a")), read, true, true},
		{"name for uri", headers(version, one("resources/read"), one("no")), read, false, false},
		{"no name needed", headers(version, one("tools/list"), nil), list, true, true},
		{"a name without meaning", headers(version, one("tools/list"), one("x")), list, true, true},
	} {
		for required, want := range map[bool]bool{true: c.required, false: c.absent} {
			err := protocol.CheckHeaders(c.h, c.r, required)
			if (err == nil) != want || err != nil && codeOf(err) != gateway.CodeHeaderMismatch {
				t.Errorf("%s, required %v: %v", c.what, required, err)
			}
			if err != nil && (protocol.RPCCodeOf(err) != -32020 || protocol.StatusOf(protocol.RPCCodeOf(err)) != 400) {
				t.Errorf("%s: %d", c.what, protocol.RPCCodeOf(err))
			}
		}
	}
}

func TestStatusOf(t *testing.T) {
	for code, want := range map[int]int{-32700: 400, -32600: 400, -32601: 404, -32602: 400, -32603: 200, -32020: 400, -32021: 400, -32022: 400, 4001: 200} {
		if got := protocol.StatusOf(code); got != want {
			t.Errorf("%d: %d", code, got)
		}
	}
	if protocol.RPCCodeOf(errors.New("x")) != protocol.RPCInternalError || protocol.RPCCodeOf(gateway.Fail(gateway.CodeInternal)) != protocol.RPCInternalError {
		t.Error("an error that is not ours")
	}
}

// The request attacks on record, where the corpus lies beside the module.
func TestRequestAttacks(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "shared", "cases", "attacks.jsonl"))
	if err != nil {
		t.Log("not run: no attack corpus beside the module")
		return
	}
	defer f.Close()
	wantRPC := map[string]int{"duplicate_key_request": -32600, "trailing_document": -32700, "batch": -32600, "duplicate_argument_key": -32600}
	ran := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			ID, Kind string
			Input    struct{ Raw string }
		}
		if json.Unmarshal(lines.Bytes(), &c) != nil || c.Input.Raw == "" || !strings.HasPrefix(c.Input.Raw, "{") && !strings.HasPrefix(c.Input.Raw, "[") {
			continue
		}
		r, err := parse(c.Input.Raw)
		switch rpc, refused := wantRPC[c.Kind]; {
		case refused:
			ran++
			if protocol.RPCCodeOf(err) != rpc || r != nil {
				t.Errorf("%s %s: %v", c.ID, c.Kind, err)
			}
		case strings.HasSuffix(c.Kind, "_key"):
			ran++
			if err == nil && r.Method != protocol.MethodToolsList {
				t.Errorf("%s %s: %s", c.ID, c.Kind, r.Method)
			}
		}
	}
	if ran < 6 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestParseRequestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not counted under the race detector")
	}
	raw := []byte(typicalCall)
	// The Request, and the texts of method, version and trace parent.
	if n := testing.AllocsPerRun(100, func() {
		if _, err := protocol.ParseRequest(raw, protocol.DefaultLimits()); err != nil {
			t.Fatal(err)
		}
	}); n > 4 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		for _, value := range protocol.Members(raw) {
			for range protocol.Elements(value) {
			}
		}
	}); n > 0 {
		t.Errorf("%v allocations to walk by the front door", n)
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{typicalCall, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"traceparent":""}}}`,
		`[{"jsonrpc":"2.0"}]`, `{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := protocol.ParseMessage(raw, protocol.DefaultLimits()); err == nil && m.Error != nil {
			protocol.ParseRPCError(m.Error)
		}
		r, err := protocol.ParseRequest(raw, protocol.DefaultLimits())
		if err != nil {
			if codeOf(err) == "" {
				t.Fatalf("an error without code: %v", err)
			}
			return
		}
		if r.Method == "" || r.Params != nil && protocol.Kind(r.Params) != '{' || r.Meta.Raw != nil && protocol.Kind(r.Meta.Raw) != '{' {
			t.Fatalf("%q: %+v", raw, r)
		}
		protocol.CheckHeaders(http.Header{}, r, true)
		if r.ID == nil {
			return
		}
		answer := protocol.AppendErrorResponse(nil, r.ID, 4001, r.Method, r.Params)
		m, err := protocol.ParseMessage(answer, protocol.Limits{Bytes: 1 << 30, Depth: 1000})
		if err != nil || !bytes.Equal(m.ID, r.ID) {
			t.Fatalf("%q is answered by %q: %v", raw, answer, err)
		}
	})
}

func BenchmarkParseRequest(b *testing.B) {
	raw := []byte(typicalCall)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.ParseRequest(raw, protocol.DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestParsePageForgivesElementsOnly(t *testing.T) {
	page := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"a":1,"a":2},{"name":"b"}],"nextCursor":"x"}}`
	m, err := protocol.ParsePage([]byte(page), protocol.DefaultLimits(), "tools")
	if cursor, _ := protocol.Member(m.Result, "nextCursor"); err != nil || string(m.ID) != "1" || string(cursor) != `"x"` {
		t.Errorf("%+v %v", m, err)
	}
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{"tools":[]}}`, `{"jsonrpc":"2.0","result":{"tools":[]}}`,
		`{"jsonrpc":"1.0","id":1,"result":{"tools":[{"a":1,"a":2}]}}`, `[{"result":{"tools":[]}}]`,
		`{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"a":1,"a":2}]}}`,
	} {
		if m, err := protocol.ParsePage([]byte(raw), protocol.DefaultLimits(), "tools"); err == nil {
			t.Errorf("%s: %+v", raw, m)
		}
	}
}
