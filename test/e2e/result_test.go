package e2e

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestDiscover is rule S13: what this gateway says of itself, and nothing that
// an upstream says.
func TestDiscover(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"service:read"}}},
		Upstreams:  []stage.Upstream{stage.Incident("incident")}, Review: stage.ReviewIncident,
	})
	for _, path := range []string{"/mcp", "/mcp/incident"} {
		r := s.Host("alice").Ask(protocol.MethodDiscover, "").At(path).Send(t)
		for pointer, want := range map[string]string{
			"/supportedVersions": `["2026-07-28"]`, "/capabilities": `{"tools":{"listChanged":true},"prompts":{"listChanged":true},` +
				`"resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{}}`, "/resultType": `"complete"`,
			"/cacheScope": `"private"`, "/instructions": "",
			"/_meta/io.modelcontextprotocol~1serverInfo/name": `"mcp-gateway"`,
		} {
			if got := r.Get(pointer); got != want {
				t.Errorf("%s: %s is %s, want %s", path, pointer, got, want)
			}
		}
		wholeMilliseconds(t, r)
		sane(t, r)
		if row := s.OneEvent(t); row.Method != protocol.MethodDiscover || row.Code != "" {
			t.Errorf("on record: %+v", row)
		}
	}
}

func wholeMilliseconds(t *testing.T, r *stage.Reply) {
	t.Helper()
	if ttl := r.Get("/ttlMs"); !protocol.IsInteger([]byte(ttl)) || strings.HasPrefix(ttl, "-") {
		t.Errorf("ttlMs is %q", ttl)
	}
}

// TestLists is rules S14, S21 and S22: private, of a stable order whatever the
// upstream's, the same on every connection, with hints from the review alone.
func TestLists(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer()
	tools := []string{
		`{"name":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false}}`,
		`{"name":"C","inputSchema":{"type":"object"}}`,
		`{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993,"multipleOf":1.0}}},"_meta":{"x":1},"icons":[]}`,
	}
	peer.SetTools(tools...)
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	alice := s.Host("alice")
	first := alice.Ask(protocol.MethodToolsList, "").Send(t)
	sane(t, first)
	wholeMilliseconds(t, first)
	if got := first.Tools(t); !slices.Equal(got, []string{"up__C", "up__a", "up__b"}) {
		t.Errorf("order is %v", got)
	}
	if first.Get("/cacheScope") != `"private"` || first.Get("/nextCursor") != "" {
		t.Errorf("cacheScope %s, nextCursor %s", first.Get("/cacheScope"), first.Get("/nextCursor"))
	}
	if schema := first.Get("/tools/1/inputSchema"); schema != `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993,"multipleOf":1.0}}}` {
		t.Errorf("the schema was changed: %s", schema)
	}
	for i := range 3 { // the record says: read
		if hints := first.Get("/tools/" + string(rune('0'+i)) + "/annotations"); hints != `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}` {
			t.Errorf("hints are %s", hints)
		}
	}
	slices.Reverse(tools)
	peer.SetTools(tools...)
	if err := s.Gateway.Refresh(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	again := alice.Ask(protocol.MethodToolsList, "").With("Connection", "close").Send(t)
	if string(again.Body) != string(first.Body) {
		t.Errorf("the list differs after the upstream turned its order round:\n%s\n%s", first.Body, again.Body)
	}
	own := alice.Ask(protocol.MethodToolsList, "").At("/mcp/up").Send(t)
	if got := own.Tools(t); !slices.Equal(got, []string{"C", "a", "b"}) {
		t.Errorf("under their own names: %v", got)
	}
}

// TestOwnNames calls a tool by its own name on its upstream's endpoint, where an
// exposed name means nothing, and the other way round.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer().Add(stage.Tool("plain"), stage.Result(stage.Text(`"done"`)))
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer), stage.Served(t, "other", stage.NewPeer())}})
	alice := s.Host("alice")
	for _, tt := range []struct{ path, name, code string }{
		{"/mcp", "up__plain", ""}, {"/mcp", "plain", "unknown_tool"}, {"/mcp", "UP__plain", "unknown_tool"},
		{"/mcp", "up__plain ", "unknown_tool"}, {"/mcp", "up/plain", "unknown_tool"}, {"/mcp", "", "unknown_tool"},
		{"/mcp/up", "plain", ""}, {"/mcp/up", "up__plain", "unknown_tool"}, {"/mcp/other", "plain", "unknown_tool"},
		{"/mcp/other", "up__plain", "unknown_tool"},
	} {
		reply := alice.Calling(tt.name, `{}`).At(tt.path).Send(t)
		if reply.Code() != tt.code {
			t.Errorf("%s %q: %s", tt.path, tt.name, reply.Body)
		}
		if row := s.OneEvent(t); string(row.Code) != tt.code {
			t.Errorf("%s %q: on record %+v", tt.path, tt.name, row)
		}
		if calls := peer.Calls(); (len(calls) == 1) != (tt.code == "") {
			t.Errorf("%s %q: %d calls", tt.path, tt.name, len(calls))
		}
	}
}

// TestBytesSurvive sends what typed decoding would change, both ways: arguments
// and results arrive byte for byte (numbers, escapes, members that nobody knows).
func TestBytesSurvive(t *testing.T) {
	t.Parallel()
	const (
		args       = `{"id":9007199254740993,"p":1.10,"e":1e2,"neg":-0,"long":0.1000000000000000055511151231257827,"text":"\u0041\/é","nested":[[],{}, null ,true]}`
		structured = `{"id":9007199254740993,"p":1.10,"e":1e2,"E":1E+2,"z":-0.0,"big":123456789012345678901234567890,"ws": [ 1 ,2 ],"esc":"\u00e9\/"}`
		content    = `[{"type":"text","text":"\u0041 1.10"},{"type":"hologram","data":"not base64!","n":1.0}]`
	)
	peer := stage.NewPeer().
		Add(`{"name":"keep","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}`,
			stage.Result(`{"unknown":{"n":1.10},"structuredContent":`+structured+`,"content":`+content+`,"_meta":{"vendor.example/n":1e2}}`))
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	reply := s.Host("alice").Call(t, "up__keep", args)
	sane(t, reply)
	for pointer, want := range map[string]string{
		"/structuredContent": structured, "/content": content, "/unknown/n": "1.10", "/_meta/vendor.example~1n": "1e2",
		"/structuredContent/id": "9007199254740993", "/structuredContent/p": "1.10", "/structuredContent/e": "1e2",
	} {
		if got := reply.Get(pointer); got != want {
			t.Errorf("%s came as %s, was %s", pointer, got, want)
		}
	}
	if calls := peer.Calls(); len(calls) != 1 || calls[0].Arguments() != args {
		t.Errorf("the upstream got %+v, sent was %s", calls, args)
	}
}

// TestNoArguments calls without arguments, which means an empty object.
func TestNoArguments(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer().Add(stage.Tool("none"), stage.Result(`{}`)).
		Add(`{"name":"needs","inputSchema":{"type":"object","required":["x"]}}`, stage.Result(`{}`))
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "up", peer)}})
	for _, tt := range []struct{ tool, arguments, code string }{
		{"none", "", ""}, {"none", "{}", ""}, {"none", "[]", "invalid_params"}, {"none", `"x"`, "invalid_params"},
		{"none", "null", "invalid_params"}, {"needs", "", "invalid_arguments"}, {"needs", "{}", "invalid_arguments"},
	} {
		r := s.Host("alice").Calling("up__"+tt.tool, tt.arguments)
		if tt.arguments == "" {
			r.Params = `"name":"up__` + tt.tool + `"`
		}
		if reply := r.Send(t); reply.Code() != tt.code {
			t.Errorf("%s with %q: %s", tt.tool, tt.arguments, reply.Body)
		}
	}
}
