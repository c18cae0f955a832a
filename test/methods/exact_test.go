package methods

import (
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// What a typed reading would lose: numbers, their spelling, null, unknown members
// and kinds, the order of members.
const exact = `"z":9007199254740993,"a":1.10,"e":1e2,"n":null,"vendor":{"x":[1.0,-0.0,{}]}`

const info = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-gateway","version":"` + stage.Version + `"}}`

func TestPromptIsExact(t *testing.T) {
	s, up := open(t, "")
	const messages = `"messages":[{"role":"user",` + exact + `,"content":{"type":"text","text":"t\u00e9\/","annotations":{"priority":0}}},` +
		`{"role":"assistant","content":{"type":"vendor/new","data":"?",` + exact + `}},` +
		`{"role":"user","content":{"type":"image","data":"AAA\/","mimeType":"image/png"}}],` + exact
	up.answer(protocol.MethodPromptsGet, stage.Result(`{"resultType":"complete",`+messages+`}`))
	const arguments = `{"how":"\u00e9\/","who":"you"}`
	r := send(t, s.Host("alice"), protocol.MethodPromptsGet, `"name":"up__greet","arguments":`+arguments)
	if want := `{"resultType":"complete",` + info + `,` + messages + `}`; string(r.Result) != want {
		t.Errorf("got  %s\nwant %s", r.Body, want)
	}
	calls := up.calls()
	if len(calls) != 1 || params(calls[0].Message) != `{"name":"greet","arguments":`+arguments+`}` || calls[0].Header.Get("Mcp-Name") != "greet" {
		t.Errorf("sent %+v", calls)
	}
	if row := s.Rows(t, audit.Filter{Tool: "up__greet", Type: audit.ToolDecided}); len(row) != 1 || row[0].Method != "prompts/get" || row[0].Outcome != gateway.OutcomeCommitted || row[0].Effect != gateway.Allow {
		t.Errorf("on record: %+v", row)
	}

	// Cleaned, whoever asks: what is hidden and what is secret.
	up.answer(protocol.MethodPromptsGet, stage.Result(`{"messages":[{"role":"user","content":{"type":"text","text":"\u202eghp_0123456789abcdefghijABCDEFGHIJ012345"}}]}`))
	legacy := begin(t, s.Host("alice"), protocol.Revision20250618, "{}")
	r = legacy(protocol.MethodPromptsGet, `"name":"up__greet","arguments":{"who":"you"}`).Send(t)
	if want := `{"messages":[{"role":"user","content":{"type":"text","text":"[redacted:github_token]"}}]}`; string(r.Result) != want {
		t.Errorf("got  %s\nwant %s", r.Body, want)
	}
}

func TestPromptArguments(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodPromptsGet, stage.Result(`{"messages":[]}`))
	for params, want := range map[string]string{
		`"name":"up__greet"`: "/who required", `"name":"up__greet","arguments":{}`: "/who required",
		`"name":"up__greet","arguments":{"who":1}`:              "/who type",
		`"name":"up__greet","arguments":{"who":"a","b/c":"x"}`:  "/b~1c additionalProperties",
		`"name":"up__greet","arguments":{"who":"a","how":null}`: "/how type",
		`"name":"up__greet","arguments":[]`:                     "",
		`"name":"up__greet","arguments":null`:                   "",
		`"name":7`:                                              "",
	} {
		r := send(t, s.Host("alice"), protocol.MethodPromptsGet, params)
		got := strings.Trim(r.Get("/data/violations/0/pointer"), `"`) + " " + strings.Trim(r.Get("/data/violations/0/keyword"), `"`)
		if r.RPC() != protocol.RPCInvalidParams || r.Status != 400 || strings.TrimSpace(got) != want {
			t.Errorf("%s: %d %s", params, r.Status, r.Body)
		}
	}
	if calls := up.calls(); len(calls) != 0 {
		t.Errorf("%d of them reached the upstream", len(calls))
	}
	for params, code := range map[string]string{
		`{"code":-32602,"message":"no"}`: "invalid_params", `{"code":-32603,"message":"no"}`: "execution_error",
	} {
		up.answer(protocol.MethodPromptsGet, stage.Fault(params))
		if r := send(t, s.Host("alice"), protocol.MethodPromptsGet, `"name":"up__greet","arguments":{"who":"a"}`); r.Fault == nil || r.Code() != code {
			t.Errorf("%s: %s", params, r.Body)
		}
	}
	for _, result := range []string{`{}`, `{"messages":{}}`, `{"messages":[1]}`, `{"messages":[{"role":"user"}]}`, `{"resultType":"task","messages":[]}`} {
		up.answer(protocol.MethodPromptsGet, stage.Result(result))
		if r := send(t, s.Host("alice"), protocol.MethodPromptsGet, `"name":"up__greet","arguments":{"who":"a"}`); r.Fault == nil || r.Code() != "contract_violation" {
			t.Errorf("%s: %s", result, r.Body)
		}
	}
}

func TestContentsAreExact(t *testing.T) {
	s, up := open(t, "")
	const contents = `"contents":[{"uri":"test://desk/notes","text":"t\u00e9\/",` + exact + `},{"uri":"test://desk/notes/part","blob":"AAEC/\/+4"}],` + exact
	up.answer(protocol.MethodResourcesRead, stage.Result(`{"resultType":"complete",`+contents+`,"ttlMs":9007199254740993,"cacheScope":"public"}`))
	r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"test://DESK/n%6ftes"`)
	if want := `{"resultType":"complete",` + info + `,"ttlMs":9007199254740993,"cacheScope":"private",` + contents + `}`; string(r.Result) != want {
		t.Errorf("got  %s\nwant %s", r.Body, want)
	}
	legacy := begin(t, s.Host("alice"), protocol.Revision20251125, "{}")
	if r := legacy(protocol.MethodResourcesRead, `"uri":"test://desk/notes"`).Send(t); string(r.Result) != `{`+contents+`}` {
		t.Errorf("got  %s\nwant {%s}", r.Body, contents)
	}
	// A reviewed resource is known to its server by the spelling that was reviewed.
	for _, c := range up.calls() {
		if params(c.Message) != `{"uri":"TEST://Desk/notes"}` || c.Header.Get("Mcp-Name") != "TEST://Desk/notes" {
			t.Errorf("sent %s", c.Params)
		}
	}

	// What a template stands for is sent as it was judged.
	up.answer(protocol.MethodResourcesRead, stage.Result(`{"contents":[{"uri":"test://desk/page/7","text":""}]}`))
	if r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"TEST://desk/page/%37"`); r.Get("/contents/0/uri") != `"test://desk/page/7"` || r.Get("/ttlMs") != "0" {
		t.Errorf("template: %s", r.Body)
	}
	if calls := up.calls(); len(calls) != 1 || params(calls[0].Message) != `{"uri":"test://desk/page/7"}` {
		t.Errorf("sent %+v", calls)
	}
	// On record under no name, since a URI may hold anything.
	row := s.Rows(t, audit.Filter{Type: audit.ToolDecided})
	if last := row[len(row)-1]; last.Tool != "" || last.ToolRef == "" || last.Upstream != "up" || last.Method != "resources/read" {
		t.Errorf("on record: %+v", last)
	}
	if leaks := s.Leaks(t, "page/7"); len(leaks) > 0 {
		t.Errorf("kept: %v", leaks)
	}
}

func TestURIsThatAreNotRead(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodResourcesRead, stage.Result(`{"contents":[]}`))
	for _, uri := range []string{
		"test://desk/page/../notes", "test://desk/page/..", "test://desk/page/%2e%2e", "test://desk/page/a%2fb", "test://desk/page/a%5cb",
		"test://desk/page/a%252e", `test://desk/page/a\\b`, "test://desk/page/a b", "desk/notes", "", `test://desk/page/a\u0000`, "test://desk/page/%zz",
	} {
		r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"`+uri+`"`)
		if r.Status != 400 || r.RPC() != protocol.RPCInvalidParams || r.Code() != "invalid_params" {
			t.Errorf("%s: %d %s", uri, r.Status, r.Body)
		}
	}
	for _, uri := range []string{"test://desk/page/", "test://desk/page/1/2", "test://desk/notes/part", "test://other/notes", "https://169.254.169.254/"} {
		if r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"`+uri+`"`); r.Code() != "unknown_resource" {
			t.Errorf("%s: %d %s", uri, r.Status, r.Body)
		}
	}
	if calls := up.calls(); len(calls) != 0 {
		t.Errorf("%d of them reached the upstream", len(calls))
	}
	// Contents of anything else are not passed on.
	for _, contents := range []string{
		`[{"uri":"test://desk/held","text":"x"}]`, `[{"uri":"test://desk/notes","text":""},{"uri":"file:///etc/passwd","text":"x"}]`,
		`[{"uri":"test://desk/notes/../held","text":"x"}]`, `[{"text":"x"}]`, `[1]`, `{}`, `null`,
	} {
		up.answer(protocol.MethodResourcesRead, stage.Result(`{"contents":`+contents+`}`))
		if r := send(t, s.Host("alice"), protocol.MethodResourcesRead, `"uri":"test://desk/notes"`); r.Code() != "contract_violation" {
			t.Errorf("%s: %d %s", contents, r.Status, r.Body)
		}
	}
}

func TestCompletion(t *testing.T) {
	s, up := open(t, "")
	const completion = `"completion":{"values":["paris","p\u00e9"],"total":9007199254740993,"hasMore":true},"x":1.10`
	up.answer(protocol.MethodComplete, stage.Result(`{"resultType":"complete",`+completion+`}`))
	for _, tc := range []struct{ ref, sent, argument string }{
		{`{"type":"ref/prompt","name":"up__greet","title":"x"}`, `{"type":"ref/prompt","name":"greet"}`, "how"},
		{`{"type":"ref/resource","uri":"test://desk/page/{n}"}`, `{"type":"ref/resource","uri":"test://desk/page/{n}"}`, "n"},
		{`{"type":"ref/resource","uri":"test://desk/notes"}`, `{"type":"ref/resource","uri":"TEST://Desk/notes"}`, "n"},
	} {
		rest := `"argument":{"name":"` + tc.argument + `","value":"p"},"context":{"arguments":{"who":"you"}}`
		r := send(t, s.Host("alice"), protocol.MethodComplete, `"ref":`+tc.ref+`,`+rest)
		if want := `{"resultType":"complete",` + info + `,` + completion + `}`; string(r.Result) != want {
			t.Errorf("got  %s\nwant %s", r.Body, want)
		}
		if calls := up.calls(); len(calls) != 1 || params(calls[0].Message) != `{"ref":`+tc.sent+`,`+rest+`}` {
			t.Errorf("sent %+v", calls)
		}
	}
	for _, params := range []string{
		`"argument":{"name":"n","value":"1"}`, `"ref":{"type":"ref/prompt","name":"up__greet"}`,
		`"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"undeclared","value":"1"}`,
		`"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":1}`,
		`"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"1"},"context":{"arguments":{"who":"2"}}`,
		`"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"1"},"context":{"arguments":{"how":2}}`,
		`"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"1"},"context":{"arguments":[]}`,
		`"ref":{"type":"ref/tool","name":"up__ask"},"argument":{"name":"who","value":"1"}`,
	} {
		if r := send(t, s.Host("alice"), protocol.MethodComplete, params); r.RPC() != protocol.RPCInvalidParams || r.Status != 400 {
			t.Errorf("%s: %d %s", params, r.Status, r.Body)
		}
	}
	if calls := up.calls(); len(calls) != 0 {
		t.Errorf("%d of them reached the upstream", len(calls))
	}
	const ask = `"ref":{"type":"ref/prompt","name":"up__greet"},"argument":{"name":"who","value":"1"}`
	for _, result := range []string{
		`{}`, `{"completion":{}}`, `{"completion":{"values":[1]}}`, `{"completion":{"values":["` + strings.Repeat(`","`, 100) + `"]}}`,
		`{"resultType":"input_required","requestState":"s"}`,
	} {
		up.answer(protocol.MethodComplete, stage.Result(result))
		if r := send(t, s.Host("alice"), protocol.MethodComplete, ask); r.Code() != "contract_violation" {
			t.Errorf("%.80s: %s", result, r.Body)
		}
	}
	up.answer(protocol.MethodComplete, stage.Result(`{"completion":{"values":["`+strings.Repeat(`","`, 99)+`"]}}`))
	if r := send(t, s.Host("alice"), protocol.MethodComplete, ask); r.Result == nil {
		t.Errorf("a hundred values: %s", r.Body)
	}
}

// Lists show what was reviewed, cleaned, and page by page like those of tools.
func TestLists(t *testing.T) {
	s, _ := open(t, "")
	for method, want := range map[string]string{
		protocol.MethodPromptsList:           `"prompts":[{"name":"up__greet","title":"Greet","arguments":[{"name":"who","required":true},{"name":"how"}]}]`,
		protocol.MethodResourcesList:         `"resources":[{"uri":"test://desk/notes","name":"notes","mimeType":"text/plain","size":9007199254740993}]`,
		protocol.MethodResourceTemplatesList: `"resourceTemplates":[{"uriTemplate":"test://desk/page/{n}","name":"page"}]`,
	} {
		r := send(t, s.Host("alice"), method, "")
		if got := string(r.Result); !strings.HasPrefix(got, `{"resultType":"complete",`+want) || r.Get("/cacheScope") != `"private"` || r.Get("/ttlMs") == "" {
			t.Errorf("%s: %s", method, r.Body)
		}
		name := strings.Trim(want[:strings.IndexByte(want, ':')], `"`)
		if r := send(t, s.Host("bob"), method, ""); r.Get("/"+name) != "[]" {
			t.Errorf("bob, %s: %s", method, r.Body)
		}
	}
	own := send(t, s.Host("alice"), protocol.MethodPromptsList, "")
	if r := s.Host("alice").Ask(protocol.MethodPromptsList, "").At("/mcp/up").Send(t); r.Get("/prompts/0/name") != `"greet"` {
		t.Errorf("on the upstream's own endpoint: %s, on that of all: %s", r.Body, own.Body)
	}
	for _, r := range []*stage.Reply{send(t, s.Host("alice"), protocol.MethodDiscover, "")} {
		for _, capability := range []string{"tools", "prompts", "resources", "completions", "logging"} {
			if r.Get("/capabilities/"+capability) == "" || r.Get("/capabilities/resources/subscribe") != "true" {
				t.Errorf("%s is not offered: %s", capability, r.Body)
			}
		}
	}
}

// -32020 from an upstream: what is still the reviewed definition is sent once more,
// and what changed is not.
func TestHeaderMismatchUpstream(t *testing.T) {
	s, up := open(t, "")
	refuse := stage.Fault(`{"code":-32020,"message":"Header mismatch"}`)
	tries := 0
	up.answer(protocol.MethodToolsCall, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		if tries++; tries == 1 {
			refuse(w, r, m)
			return
		}
		stage.Result(stage.Text(`"done"`))(w, r, m)
	})
	if r := s.Host("alice").Call(t, "up__ask", `{}`); r.Get("/content/0/text") != `"done"` || tries != 2 {
		t.Errorf("after %d tries: %s", tries, r.Body)
	}
	up.answer(protocol.MethodToolsCall, refuse)
	up.calls()
	if r := s.Host("alice").Call(t, "up__ask", `{}`); !r.IsError() || r.Code() != "execution_error" || len(up.calls()) != 2 {
		t.Errorf("always refused: %s", r.Body)
	}
	up.answer(protocol.MethodToolsCall, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		up.mu.Lock()
		up.lists[protocol.MethodToolsList] = `{"name":"ask","description":"changed","inputSchema":{"type":"object"}},` + stage.Tool("other")
		up.mu.Unlock()
		refuse(w, r, m)
	})
	if r := s.Host("alice").Call(t, "up__ask", `{}`); r.Code() != "quarantined" || len(up.calls()) != 1 {
		t.Errorf("changed: %s", r.Body)
	}
}

// What is hidden from a principal does not stand between it and what it may read.
func TestHiddenTemplateHidesNoOther(t *testing.T) {
	peers := map[string]*server{}
	var upstreams []stage.Upstream
	for id, template := range map[string]string{"a": "test://{+all}", "b": "test://shared/{n}"} {
		peers[id] = &server{
			lists:   map[string]string{protocol.MethodResourceTemplatesList: `{"uriTemplate":"` + template + `","name":"t"}`},
			answers: map[string]stage.Answer{protocol.MethodResourcesRead: stage.Result(`{"contents":[{"uri":"test://shared/1","text":"` + id + `"}]}`)},
		}
		upstreams = append(upstreams, stage.Served(t, id, peers[id]))
	}
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"hidden"}}},
		Upstreams:  upstreams,
		Others: func(id gateway.ItemID) string {
			if id.Upstream == "b" {
				return stage.Reviewed("use")
			}
			return stage.Reviewed("hidden")
		},
	})
	for who, want := range map[string]string{"alice": `"b"`, "bob": `"a"`} {
		if r := send(t, s.Host(who), protocol.MethodResourcesRead, `"uri":"test://shared/1"`); r.Get("/contents/0/text") != want {
			t.Errorf("%s reads %s", who, r.Body)
		}
	}
}
