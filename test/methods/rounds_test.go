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

// declaring is the _meta of a modern host that declares capabilities.
func declaring(capabilities string) string {
	return strings.Replace(stage.Meta, `"`+protocol.MetaClientCapabilities+`":{}`, `"`+protocol.MetaClientCapabilities+`":`+capabilities, 1)
}

const (
	question = `"inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"Who?\u200b","vendor":1.10,` +
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Your name"}},"required":["name"]}}}}`
	cleaned = `"inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"Who?","vendor":1.10,` +
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Your name"}},"required":["name"]}}}}`
	reply = `"inputResponses":{"who":{"action":"accept","content":{"name":"\u00e9\/"},"n":1.10}}`
	forms = `{"elicitation":{"form":{}},"experimental":{"x":{}}}`
)

// asking answers the first round by a question and every other by a result.
func asking(state string, result string) stage.Answer {
	return func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		if _, again := protocol.Member(m.Params, "inputResponses"); again {
			stage.Result(result)(w, r, m)
			return
		}
		stage.Result(`{"resultType":"input_required",`+question+state+`,"ttlMs":5,"vendor":1e2}`)(w, r, m)
	}
}

// ask is one request of a modern host that declares capabilities.
func ask(t testing.TB, h *stage.Host, capabilities, method, params string) *stage.Reply {
	t.Helper()
	r := request(h, method, params)
	r.Meta = declaring(capabilities)
	return r.Send(t)
}

// calls in each method that may take several rounds, with what completes them.
var inRounds = map[string]struct{ params, sent, done string }{
	protocol.MethodToolsCall:     {`"name":"up__ask","arguments":{"a":1}`, `"name":"ask","arguments":{"a":1}`, `"content":[]`},
	protocol.MethodPromptsGet:    {`"name":"up__greet","arguments":{"who":"a"}`, `"name":"greet","arguments":{"who":"a"}`, `"messages":[]`},
	protocol.MethodResourcesRead: {`"uri":"test://desk/notes"`, `"uri":"TEST://Desk/notes"`, `"contents":[{"uri":"test://desk/notes","text":"t"}],"ttlMs":60000`},
}

func TestRounds(t *testing.T) {
	for method, tc := range inRounds {
		for name, inner := range map[string]string{"none": "", "empty": `,"requestState":""`, "some": `,"requestState":"\u0041\/é"`} {
			t.Run(method+" "+name, func(t *testing.T) {
				s, up := open(t, "")
				up.answer(method, asking(inner, `{"resultType":"complete",`+tc.done+`}`))
				first := ask(t, s.Host("alice"), forms, method, tc.params)
				if got := string(first.Result); !strings.HasPrefix(got, `{"resultType":"input_required",`+info+`,"requestState":"`) || !strings.HasSuffix(got, `,`+cleaned+`,"vendor":1e2}`) {
					t.Fatalf("asked %s", first.Body)
				}
				calls := up.calls()
				told, _ := protocol.Lookup(calls[0].Params, "/_meta/io.modelcontextprotocol~1clientCapabilities")
				if string(told) != `{"elicitation":{"form":{}}}` || params(calls[0].Message) != `{`+tc.sent+`}` {
					t.Errorf("the first round was sent as %s", calls[0].Params)
				}
				row := s.OneEvent(t)
				if row.Outcome != gateway.OutcomeAwaiting || row.Code != "" {
					t.Errorf("on record: %+v", row)
				}

				second := ask(t, s.Host("alice"), forms, method, tc.params+`,`+reply+`,"requestState":`+first.Get("/requestState"))
				if second.Get("/resultType") != `"complete"` || method == protocol.MethodResourcesRead && second.Get("/ttlMs") != "0" {
					t.Fatalf("answered %s", second.Body)
				}
				calls = up.calls()
				if want := `{` + tc.sent + `,` + reply + inner + `}`; len(calls) != 1 || params(calls[0].Message) != want {
					t.Errorf("the second round was sent as %s, want %s", params(calls[0].Message), want)
				}
				if next := s.OneEvent(t); next.Outcome != gateway.OutcomeCommitted || next.Action != row.Action {
					t.Errorf("on record: %+v after %+v", next, row)
				}
				if leaks := s.Leaks(t, "u0041", "Your name", string(first.Get("/requestState"))); len(leaks) > 0 {
					t.Errorf("kept %q", leaks)
				}
			})
		}
	}
}

func TestStateIsForOneCallOfOneCaller(t *testing.T) {
	s, up := open(t, "")
	for method, tc := range inRounds {
		up.answer(method, asking(`,"requestState":"s"`, `{`+tc.done+`}`))
	}
	call := inRounds[protocol.MethodToolsCall]
	state := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, call.params).Get("/requestState")
	prompt := ask(t, s.Host("alice"), forms, protocol.MethodPromptsGet, inRounds[protocol.MethodPromptsGet].params).Get("/requestState")
	up.calls()
	s.Events(t)
	again := func(who, method, params, state string) *stage.Reply {
		t.Helper()
		return ask(t, s.Host(who), forms, method, params+`,`+reply+`,"requestState":`+state)
	}
	swap := map[byte]string{'A': "B"}
	middle := swap[state[len(state)/2]]
	if middle == "" {
		middle = "A"
	}
	for name, r := range map[string]*stage.Reply{
		"another principal":  again("carol", protocol.MethodToolsCall, call.params, state),
		"another tool":       again("alice", protocol.MethodToolsCall, `"name":"up__other","arguments":{"a":1}`, state),
		"other arguments":    again("alice", protocol.MethodToolsCall, `"name":"up__ask","arguments":{"a":2}`, state),
		"no arguments":       again("alice", protocol.MethodToolsCall, `"name":"up__ask"`, state),
		"another method":     again("alice", protocol.MethodPromptsGet, inRounds[protocol.MethodPromptsGet].params, state),
		"a prompt's":         again("alice", protocol.MethodToolsCall, call.params, prompt),
		"longer":             again("alice", protocol.MethodToolsCall, call.params, state[:len(state)-1]+`-TAMPERED"`),
		"one byte":           again("alice", protocol.MethodToolsCall, call.params, state[:len(state)/2]+middle+state[len(state)/2+1:]),
		"the upstream's own": again("alice", protocol.MethodToolsCall, call.params, `"s"`),
		"empty":              again("alice", protocol.MethodToolsCall, call.params, `""`),
	} {
		if r.Status != 400 || r.RPC() != 1510 || r.Code() != "state_invalid" || r.Get("/data/reasons") != "" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if calls := up.calls(); len(calls) != 0 {
		t.Errorf("%d of them reached the upstream", len(calls))
	}
	rows := s.Events(t)
	for _, row := range rows {
		if row.Type != audit.ToolRefused || row.Code != gateway.CodeStateInvalid {
			t.Errorf("on record: %+v", row)
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d events", len(rows))
	}
	for params, want := range map[string]string{
		`,"inputResponses":null`: "invalid_params", `,"inputResponses":{"a":1}`: "invalid_params", `,"inputResponses":[]`: "invalid_params",
		`,"requestState":null`: "invalid_params", `,"requestState":7`: "invalid_params",
	} {
		if r := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, call.params+params); r.RPC() != protocol.RPCInvalidParams || r.Code() != want {
			t.Errorf("%s: %s", params, r.Body)
		}
	}
	// Another spelling of the same arguments is the same call.
	if r := again("alice", protocol.MethodToolsCall, `"arguments": { "a" : 1 } , "name":"up__ask"`, state); r.Get("/resultType") != `"complete"` {
		t.Errorf("the same call: %s", r.Body)
	}
	// A definition that changed and was reviewed again is another one.
	up.mu.Lock()
	up.lists[protocol.MethodToolsList] = `{"name":"ask","description":"new","inputSchema":{"type":"object"}},` + stage.Tool("other")
	up.mu.Unlock()
	if err := s.Gateway.Refresh(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	s.Review(t)
	if r := again("alice", protocol.MethodToolsCall, call.params, state); r.Code() != "state_invalid" {
		t.Errorf("another definition: %s", r.Body)
	}
}

// A host is asked nothing but what it declared for this request, and never for what
// nobody may ask in this way.
func TestWhatIsNotAsked(t *testing.T) {
	s, up := open(t, "")
	form := `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"%":{"type":"string"}}}}}`
	link := `{"method":"elicitation/create","params":{"mode":"url","message":"m","elicitationId":"1","url":"%"}}`
	const all = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`
	for name, tc := range map[string]struct {
		declared, requests string
		code               string
		needs, reason      string
	}{
		"form":           {`{}`, strings.Replace(form, "%", "city", 1), "missing_capability", `{"elicitation":{"form":{}}}`, ""},
		"url":            {`{"elicitation":{}}`, strings.Replace(link, "%", "https://x.example", 1), "missing_capability", `{"elicitation":{"url":{}}}`, ""},
		"sampling":       {`{"roots":{}}`, `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, "missing_capability", `{"sampling":{}}`, ""},
		"sampling tools": {`{"sampling":{}}`, `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}`, "missing_capability", `{"sampling":{"tools":{}}}`, ""},
		"roots":          {`{"elicitation":{}}`, `{"method":"roots/list"}`, "missing_capability", `{"roots":{}}`, ""},
		"secret":         {all, strings.Replace(form, "%", "password", 1), "ask_refused", "", "secret_asked"},
		"script":         {all, strings.Replace(link, "%", "javascript:alert(1)", 1), "ask_refused", "", "url_asked"},
		"hidden":         {all, strings.Replace(form, "%", `na\u200bme`, 1), "ask_refused", "", "ask_hidden"},
		"another method": {all, `{"method":"tools/call","params":{"name":"x"}}`, "contract_violation", "", "result_shape"},
	} {
		up.answer(protocol.MethodToolsCall, stage.Result(`{"resultType":"input_required","inputRequests":{"k":`+tc.requests+`}}`))
		r := ask(t, s.Host("alice"), tc.declared, protocol.MethodToolsCall, `"name":"up__ask"`)
		if tc.needs != "" {
			if r.Status != 400 || r.RPC() != protocol.RPCMissingCapability || r.Get("/data/requiredCapabilities") != tc.needs {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		} else if !r.IsError() || r.Code() != tc.code || r.Get("/_meta/mcp-gateway~1error/reasons/0") != `"`+tc.reason+`"` {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
		if row := s.Events(t); len(row) != 1 || row[0].Outcome != gateway.OutcomeFailed || string(row[0].Code) != tc.code {
			t.Errorf("%s: on record %+v", name, row)
		}
	}
	// The upstream itself says what it lacks: in its own capability words, and no others.
	up.answer(protocol.MethodToolsCall, stage.Fault(`{"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{},"extensions":{"secret/x":{}}}}}`))
	if r := ask(t, s.Host("alice"), `{}`, protocol.MethodToolsCall, `"name":"up__ask"`); r.RPC() != protocol.RPCMissingCapability || r.Get("/data/requiredCapabilities") != `{"sampling":{}}` {
		t.Errorf("-32021: %s", r.Body)
	}
}

// Answers without a state are for an upstream that gave none: they go to it as they
// came.
func TestAnswersWithoutState(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodToolsCall, asking("", `{"content":[]}`))
	r := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, `"name":"up__ask","arguments":{},`+reply)
	if calls := up.calls(); r.Result == nil || len(calls) != 1 || params(calls[0].Message) != `{"name":"ask","arguments":{}}` {
		t.Errorf("what nobody asked was answered and sent: %s, calls %+v", r.Body, calls)
	}
}

// What answers a question that was not asked in this very round is no answer: of a
// host's answers those are sent that the state names.
func TestAnswersToWhatWasNotAsked(t *testing.T) {
	s, up := open(t, "")
	up.answer(protocol.MethodToolsCall, asking(`,"requestState":"s"`, `{"content":[]}`))
	first := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, `"name":"up__ask","arguments":{}`)
	up.calls()
	more := strings.Replace(reply, `"inputResponses":{`, `"inputResponses":{"sudo":{"action":"accept","content":{"yes":true}},`, 1)
	r := ask(t, s.Host("alice"), forms, protocol.MethodToolsCall, `"name":"up__ask","arguments":{},`+more+`,"requestState":`+first.Get("/requestState"))
	if calls := up.calls(); r.Result == nil || len(calls) != 1 || params(calls[0].Message) != `{"name":"ask","arguments":{},`+reply+`,"requestState":"s"}` {
		t.Errorf("%s, calls %+v", r.Body, calls)
	}
}
