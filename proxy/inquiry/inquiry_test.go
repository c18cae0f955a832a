package inquiry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/inquiry"
	"mcp-gateway/proxy/state"
)

func TestRead(t *testing.T) {
	q, err := inquiry.Read([]byte(`{"resultType":"input_required","requestState":"\u0041","inputRequests":{
		"a":{"method":"elicitation/create","params":{"message":"m"}},"b":{"method":"roots/list"},
		"c":{"method":"sampling/createMessage","params":{"maxTokens":1}}}}`))
	if err != nil || string(q.State) != `"\u0041"` || len(q.Questions) != 3 || q.Questions[1].Key != "b" || q.Questions[1].Params != nil {
		t.Fatalf("%+v %v", q, err)
	}
	for _, fine := range []string{`{"requestState":""}`, `{"requestState":"s","inputRequests":{}}`, `{"requestState":"s","inputRequests":null}`} {
		if q, err := inquiry.Read([]byte(fine)); err != nil || q.State == nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
	many := strings.Repeat(`,"k%":{"method":"roots/list"}`, 1)
	var all strings.Builder
	for i := range inquiry.MaxQuestions {
		all.WriteString(strings.ReplaceAll(many, "%", fmt.Sprint(i)))
	}
	for _, bad := range []string{
		`{}`, `{"inputRequests":{}}`, `{"requestState":null}`, `{"requestState":1}`, `{"inputRequests":[]}`,
		`{"inputRequests":{"a":1}}`, `{"inputRequests":{"a":{}}}`, `{"inputRequests":{"a":{"method":"tools/call","params":{}}}}`,
		`{"inputRequests":{"a":{"method":"elicitation/create"}}}`, `{"inputRequests":{"a":{"method":"roots/list","params":null}}}`,
		`{"inputRequests":{"x":{"method":"roots/list"}` + all.String() + `}}`,
		`{"requestState":"` + strings.Repeat("x", state.MaxInner) + `"}`,
	} {
		if _, err := inquiry.Read([]byte(bad)); code(err) != gateway.CodeContractViolation {
			t.Errorf("%.80s: %v", bad, err)
		}
	}
}

func code(err error) gateway.Code {
	var e *gateway.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

func TestJudge(t *testing.T) {
	for params, want := range map[string]gateway.Reason{
		`{"requestedSchema":{"properties":{"name":{"type":"string"}}}}`:                                   "",
		`{"requestedSchema":{"properties":{"password":{"type":"string"}}}}`:                               gateway.ReasonSecretAsked,
		`{"mode":"form","requestedSchema":{"properties":{"a":{"type":"string","title":"Your API key"}}}}`: gateway.ReasonSecretAsked,
		`{"mode":"FORM","requestedSchema":{"properties":{"a":{"type":"string","format":"password"}}}}`:    gateway.ReasonSecretAsked,
		`{"requestedSchema":[]}`:                                                                       "",
		`{"mode":"url","url":"https://example.com/x"}`:                                                 "",
		`{"mode":"url","url":"https://other.example/x"}`:                                               gateway.ReasonURLAsked,
		`{"requestedSchema":{"allOf":[{"properties":{"pin":{"type":"string"}}}]}}`:                     gateway.ReasonSecretAsked,
		`{"requestedSchema":{"properties":{"a":{"type":"object","properties":{"api_key":{}}}}}}`:       gateway.ReasonSecretAsked,
		`{"requestedSchema":{"$defs":{"x":{"properties":{"b":{"items":{"properties":{"otp":{}}}}}}}}}`: gateway.ReasonSecretAsked,
		`{"mode":"url","url":"javascript:alert(1)"}`:                                                   gateway.ReasonURLAsked,
		`{"mode":"url","url":"file:///etc/passwd"}`:                                                    gateway.ReasonURLAsked,
		`{"mode":"url","url":"https://bank.example@evil.example/"}`:                                    gateway.ReasonURLAsked,
		`{"mode":"url"}`: gateway.ReasonURLAsked,
		`{"message":"Please type your GitHub password below","requestedSchema":{"type":"object","properties":{"field1":{"type":"string"}}}}`:           gateway.ReasonSecretAsked,
		`{"message":"Enter your one-time code","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`:                             gateway.ReasonSecretAsked,
		`{"message":"GitHub p4ssw0rd:","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`:                                      gateway.ReasonSecretAsked,
		`{"message":"Go on","requestedSchema":{"type":"object","properties":{"f":{"type":"string","description":"Paste the API key of GitHub"}}}}`:     gateway.ReasonSecretAsked,
		`{"message":"Go on","requestedSchema":{"type":"object","properties":{"P4ssword":{"type":"string"}}}}`:                                          gateway.ReasonSecretAsked,
		`{"message":"Really confirm that the password of alice is reset?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`: "",
		`{"message":"What is next for the password policy?","requestedSchema":{"properties":{"next":{"type":"string","enum":["keep","drop"]}}}}`:       "",
		`{"message":"The password was reset by mail. Which region is next?","requestedSchema":{"properties":{"region":{"type":"string"}}}}`:            "",
		`{"message":"Enter your name and street","requestedSchema":{"properties":{"line1":{"type":"string","description":"Street and number"}}}}`:      "",
	} {
		q := inquiry.Question{Method: protocol.MethodElicit, Params: []byte(params)}
		err := q.Judge(func(link string) bool { return strings.HasPrefix(link, "https://example.com/") })
		var e *gateway.Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", params, err)
		case want != "" && (!errors.As(err, &e) || e.Code != gateway.CodeAskRefused || e.Reasons[0] != want):
			t.Errorf("%s: %v, want %s", params, err, want)
		}
	}
}

func TestShown(t *testing.T) {
	asked := `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://pay.example/x","n":1.0}},"b":{"method":"roots/list"}},"requestState":"s"}`
	q, err := inquiry.Read([]byte(asked))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(inquiry.ShowHosts([]byte(asked), q)), strings.Replace(asked, `"Pay"`, `"[opens pay.example] Pay"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	plain := []byte(`{"inputRequests":{"a":{"method":"elicitation/create","x":1,"params":{"message":"m"}}}}`)
	if q, _ = inquiry.Read(plain); &inquiry.ShowHosts(plain, q)[0] != &plain[0] {
		t.Error("a question that leads nowhere was written anew")
	}
	link := inquiry.Question{Method: protocol.MethodElicit, Params: []byte(`{"mode":"url","url":"https://pay.example/"}`)}
	if got := string(link.Shown()); got != `{"mode":"url","url":"https://pay.example/","message":"[opens pay.example] "}` {
		t.Error(got)
	}
}

func TestMissing(t *testing.T) {
	elicit := inquiry.Question{Method: protocol.MethodElicit, Params: []byte(`{}`)}
	link := inquiry.Question{Method: protocol.MethodElicit, Params: []byte(`{"mode":"url"}`)}
	sample := inquiry.Question{Method: protocol.MethodCreateMessage, Params: []byte(`{}`)}
	tools := inquiry.Question{Method: protocol.MethodCreateMessage, Params: []byte(`{"tools":[]}`)}
	roots := inquiry.Question{Method: protocol.MethodRootsList}
	for _, tc := range []struct {
		declared, missing string
		asked             []inquiry.Question
	}{
		{`{"elicitation":{}}`, ``, []inquiry.Question{elicit}},
		{`{"elicitation":{"form":{}}}`, ``, []inquiry.Question{elicit}},
		{`{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`, []inquiry.Question{elicit}},
		{`{"elicitation":{}}`, `{"elicitation":{"url":{}}}`, []inquiry.Question{link, elicit}},
		{`{"elicitation":true}`, `{"elicitation":{"form":{}}}`, []inquiry.Question{elicit}},
		{`{"sampling":{}}`, `{"sampling":{"tools":{}}}`, []inquiry.Question{sample, tools}},
		{`{"sampling":{"tools":{}}}`, ``, []inquiry.Question{sample, tools}},
		{``, `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`, []inquiry.Question{elicit, link, tools, roots}},
		{`{"roots":{}}`, `{"sampling":{}}`, []inquiry.Question{roots, sample}},
		{`{}`, `{"roots":{}}`, []inquiry.Question{roots}},
	} {
		if got := inquiry.Missing([]byte(tc.declared), tc.asked...); string(got) != tc.missing {
			t.Errorf("%s: missing %s, want %s", tc.declared, got, tc.missing)
		}
	}
}

func TestWantedAndRelayed(t *testing.T) {
	if got := inquiry.Wanted([]byte(`{"requiredCapabilities":{"elicitation":{},"x":{"y":1},"roots":{"z":"text"}}}`)); string(got) != `{"elicitation":{"form":{}},"roots":{}}` {
		t.Errorf("wanted %s", got)
	}
	if got := inquiry.Wanted([]byte(`{"requiredCapabilities":{"extensions":{}}}`)); got != nil {
		t.Errorf("wanted %s", got)
	}
	if got := inquiry.Relayed([]byte(`{"roots":{"listChanged":true},"experimental":{},"extensions":{},"sampling":null,"elicitation":{"x":1}}`), nil); string(got) != `{"elicitation":{"x":1},"roots":{"listChanged":true}}` {
		t.Errorf("relayed %s", got)
	}
	allowed := []string{"io.modelcontextprotocol/ui", "vendor.example/x"}
	for declared, want := range map[string]string{
		`{"extensions":{"vendor.example/y":{},"vendor.example/x":{"a":1.10}},"roots":{}}`: `{"roots":{},"extensions":{"vendor.example/x":{"a":1.10}}}`,
		`{"extensions":{"vendor.example/x":true,"vendor.example/y":{}}}`:                  ``,
		`{"extensions":[]}`:  ``,
		`{"elicitation":{}}`: `{"elicitation":{}}`,
		`{"extensions":{"vendor.example/x":{},"io.modelcontextprotocol/ui":{}}}`: `{"extensions":{"io.modelcontextprotocol/ui":{},"vendor.example/x":{}}}`,
	} {
		if got := inquiry.Relayed([]byte(declared), allowed); string(got) != want {
			t.Errorf("%s: relayed %s, want %s", declared, got, want)
		}
	}
	if got := inquiry.Relayed([]byte(`{"experimental":{}}`), nil); got != nil {
		t.Errorf("relayed %s", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","url":"https://x"}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if protocol.Check(raw, protocol.DefaultLimits()) != nil || protocol.Kind(raw) != '{' {
			return
		}
		q, err := inquiry.Read(raw)
		if err != nil {
			return
		}
		for i := range q.Questions {
			_ = q.Questions[i].Judge(func(string) bool { return true })
			if shown := q.Questions[i].Shown(); shown != nil && protocol.Check(shown, protocol.DefaultLimits()) != nil {
				t.Errorf("what is shown is no JSON: %s", shown)
			}
		}
		if missing := inquiry.Missing(nil, q.Questions...); len(q.Questions) > 0 && protocol.Check(missing, protocol.DefaultLimits()) != nil {
			t.Errorf("what is missing is no JSON: %s", missing)
		}
	})
}

func Example() {
	q, _ := inquiry.Read([]byte(`{"inputRequests":{"city":{"method":"elicitation/create","params":{"message":"Which city?"}}}}`))
	fmt.Println(q.Questions[0].Key, string(inquiry.Missing([]byte(`{"roots":{}}`), q.Questions...)))
	// Output: city {"elicitation":{"form":{}}}
}
