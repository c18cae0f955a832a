package wire_test

import (
	"context"
	"errors"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/wire"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcp-gateway","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

func TestRequest(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	modern := wire.NewEnvelope(protocol.Revision20260728, "1")
	for name, tc := range map[string]struct {
		envelope      wire.Envelope
		params, trace string
		want          string
	}{
		"legacy":               {wire.Envelope{}, `{"a":1.0}`, "", `{"a":1.0}`},
		"legacy traced":        {wire.Envelope{}, `{"a":1.0}`, trace, `{"_meta":{"traceparent":"` + trace + `"},"a":1.0}`},
		"legacy without":       {wire.Envelope{}, ``, "", `{}`},
		"legacy empty":         {wire.Envelope{}, ` { } `, "", `{}`},
		"modern":               {modern, `{"a":9007199254740993}`, "", `{` + modernMeta + `},"a":9007199254740993}`},
		"modern without":       {modern, ``, "", `{` + modernMeta + `}}`},
		"modern empty":         {modern, "{\n}", "", `{` + modernMeta + `}}`},
		"modern traced":        {modern, `{"a":1}`, trace, `{` + modernMeta + `,"traceparent":"` + trace + `"},"a":1}`},
		"line breaks":          {modern, "{\"a\":\r\n[1,\n2]\n}", "", `{` + modernMeta + `},"a":  [1, 2]}`},
		"escaped breaks stay":  {modern, `{"a":"x\ny"}`, "", `{` + modernMeta + `},"a":"x\ny"}`},
		"a host's _meta goes":  {modern, `{"_meta":{"x":1},"a":1,"b":2}`, "", `{` + modernMeta + `},"a":1,"b":2}`},
		"also when escaped":    {modern, `{"a":1,"\u005fmeta":{"x":1}}`, "", `{` + modernMeta + `},"a":1}`},
		"and on legacy":        {wire.Envelope{}, `{"_meta":{},"a":1,"\"":2}`, "", `{"a":1,"\"":2}`},
		"_meta as only member": {wire.Envelope{}, `{"_meta":{}}`, "", `{}`},
	} {
		line := tc.envelope.Request(7, &protocol.Outgoing{Method: "tools/call", Params: []byte(tc.params), TraceParent: tc.trace})
		want := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + tc.want + `}`
		if string(line) != want {
			t.Errorf("%s:\n got %s\nwant %s", name, line, want)
		}
		if err := protocol.Check(line, protocol.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEnvelopesShareNoMemory(t *testing.T) {
	e := wire.NewEnvelope(protocol.Revision20260728, "1")
	a := e.Request(1, &protocol.Outgoing{Method: "a", TraceParent: "x"})
	before := string(a)
	_ = e.Request(2, &protocol.Outgoing{Method: "b", TraceParent: "yyyyyy", Params: []byte(`{"z":1}`)})
	if string(a) != before {
		t.Errorf("a request changed: %s", a)
	}
}

func TestHandshakeMessages(t *testing.T) {
	for _, line := range [][]byte{wire.Initialize(1, protocol.Revision20251125, `v"1`, nil), wire.Initialized(), wire.Cancelled(7)} {
		if err := protocol.Check(line, protocol.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	init := wire.Initialize(1, protocol.Revision20251125, `v"1`, nil)
	for pointer, want := range map[string]string{
		"/id": "1", "/params/protocolVersion": `"2025-11-25"`, "/params/capabilities": "{}", "/params/clientInfo/version": `"v\"1"`,
	} {
		if got, _ := protocol.Lookup(init, pointer); string(got) != want {
			t.Errorf("%s = %s", pointer, got)
		}
	}
}

func TestIntroductions(t *testing.T) {
	for result, want := range map[string]wire.Peer{
		`{"supportedVersions":["2026-07-28"]}`:                                               {Era: wire.Modern, Revision: "2026-07-28"},
		`{"supportedVersions":["2024-11-05","2026-07-28","2031-01-01"]}`:                     {Era: wire.Modern, Revision: "2026-07-28"},
		`{"supportedVersions":["2025-11-25"]}`:                                               {Era: wire.Legacy},
		`{"supportedVersions":["2031-01-01"]}`:                                               {Era: wire.Legacy},
		`{"supportedVersions":[1,null]}`:                                                     {Era: wire.Legacy},
		`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`: {Era: wire.Modern, Revision: "2026-07-28", Capabilities: []byte(`{"tools":{"listChanged":true}}`)},
	} {
		got, err := wire.Discovered([]byte(result))
		if err != nil || got.Era != want.Era || got.Revision != want.Revision || string(got.Capabilities) != string(want.Capabilities) {
			t.Errorf("%s: %+v %v", result, got, err)
		}
	}
	for _, result := range []string{`{}`, `{"supportedVersions":"2026-07-28"}`, `{"supportedVersions":null}`} {
		if p, err := wire.Discovered([]byte(result)); err == nil {
			t.Errorf("%s: %+v", result, p)
		}
	}
}

func TestTerms(t *testing.T) {
	legacy := []byte(`{"protocolVersion":"2025-06-18"}`)
	for name, tc := range map[string]struct {
		terms       wire.Terms
		onlyModern  bool
		initialises bool
	}{
		"none":                {wire.Terms{}, false, true},
		"minimum met":         {wire.Terms{Minimum: "2025-06-18"}, false, true},
		"minimum missed":      {wire.Terms{Minimum: "2025-11-25"}, false, false},
		"was modern":          {wire.Terms{Before: "2026-07-28"}, true, false},
		"was modern, may not": {wire.Terms{Before: "2026-07-28", Downgrades: true}, false, true},
		"was newer":           {wire.Terms{Before: "2025-11-25"}, false, false},
		"was newer, may not":  {wire.Terms{Before: "2025-11-25", Downgrades: true}, false, true},
		"was the same":        {wire.Terms{Before: "2025-06-18"}, false, true},
		"was older":           {wire.Terms{Before: "2025-03-26"}, false, true},
		"modern minimum":      {wire.Terms{Minimum: "2026-07-28"}, true, false},
	} {
		if tc.terms.OnlyModern() != tc.onlyModern || (tc.terms.Legacy() != nil) != tc.onlyModern {
			t.Errorf("%s: %v %v", name, tc.terms.OnlyModern(), tc.terms.Legacy())
		}
		if _, err := wire.Initialised(legacy, tc.terms); (err == nil) != tc.initialises {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRetry(t *testing.T) {
	for data, want := range map[string]string{
		`{"supported":["2026-07-28","2025-11-25"]}`: "2026-07-28", `{"supported":["2025-11-25"]}`: "", `{"supported":1}`: "", `{}`: "",
	} {
		e := &protocol.RPCError{Code: protocol.RPCUnsupportedVersion, Data: []byte(data)}
		if got := wire.Retry(e); got != want {
			t.Errorf("%s: %q", data, got)
		}
	}
}

func TestIDs(t *testing.T) {
	for lexeme, want := range map[string]int64{
		"1": 1, "42": 42, "999999999999999999": 999999999999999999,
		"": 0, "0": 0, "01": 0, "-1": 0, "1.0": 0, "1e2": 0, `"1"`: 0, "9223372036854775808": 0, "null": 0,
	} {
		id, ok := wire.ID([]byte(lexeme))
		if ok != (want != 0) || ok && id != want {
			t.Errorf("ID(%q) = %d %v", lexeme, id, ok)
		}
		if want != 0 && !wire.Is([]byte(lexeme), want) || wire.Is([]byte(lexeme), want+1) {
			t.Errorf("Is(%q) is wrong", lexeme)
		}
	}
}

func TestSettle(t *testing.T) {
	for raw, code := range map[string]gateway.Code{
		`{"result":{"a":1}}`: "", `{"error":{"code":-1,"message":"m"}}`: "", `{"result":[1]}`: gateway.CodeExecutionError,
		`{"error":{"message":"no code"}}`: gateway.CodeExecutionError, `{"result":{"long":"xxxxxxxxxxxxxxxxxxxx"}}`: gateway.CodeTooLarge,
	} {
		var m protocol.Message
		m.Result, _ = protocol.Member([]byte(raw), "result")
		m.Error, _ = protocol.Member([]byte(raw), "error")
		in, err := wire.Settle(m, 16)
		var e *gateway.Error
		if errors.As(err, &e) != (code != "") || e != nil && e.Code != code || !in.Sent {
			t.Errorf("%s: %+v %v", raw, in, err)
		}
		if err == nil && (in.Result == nil) == (in.Error == nil) {
			t.Errorf("%s: %+v", raw, in)
		}
	}
}

func TestEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if e := wire.Ended(ctx); e.Code != gateway.CodeTimeout {
		t.Errorf("%v", e)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if e := wire.Ended(ctx); e.Code != gateway.CodeCancelled {
		t.Errorf("%v", e)
	}
}

// FuzzRequest holds every envelope to be one strict line, whatever checked
// parameters go in.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":{"b":[1,2.50]}}`, "{\n\"_meta\" : {}, \"x\":\"\\n\"}", `{"\u005fmeta":1,"b":null}`} {
		f.Add([]byte(seed), "tools/call")
	}
	modern := wire.NewEnvelope(protocol.Revision20260728, "1")
	f.Fuzz(func(t *testing.T, params []byte, method string) {
		if protocol.Check(params, protocol.DefaultLimits()) != nil || protocol.Kind(params) != '{' {
			return
		}
		for _, e := range []wire.Envelope{{}, modern} {
			line := e.Request(1, &protocol.Outgoing{Method: method, Params: params})
			if err := protocol.Check(line, protocol.Limits{Bytes: 1 << 30, Depth: 1000}); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			for _, c := range line {
				if c == '\n' || c == '\r' {
					t.Fatalf("line break in %q", line)
				}
			}
			got, _ := protocol.Lookup(line, "/params")
			for name, value := range protocol.Members(params) {
				if kept, ok := protocol.Member(got, string(name)); string(name) != "_meta" && (!ok || !protocol.Equal(kept, value)) {
					t.Fatalf("%s was lost: %s", name, line)
				}
			}
		}
	})
}
