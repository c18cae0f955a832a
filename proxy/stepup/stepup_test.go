package stepup

import (
	"slices"
	"testing"

	"mcp-gateway/gateway"
)

func TestRefusal(t *testing.T) {
	const missing = gateway.ReasonScopeMissing
	for name, tt := range map[string]struct {
		method    gateway.AuthMethod
		reasons   []gateway.Reason
		scopes    []string
		arguments string
		want      []string // nil: no step-up
	}{
		"plain":                    {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"b", "held", "a"}, `{}`, []string{"a", "b", "held"}},
		"template":                 {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}:{y}"}, `{"x":"P1","y":"eu"}`, []string{"t:p1:eu"}},
		"twice the same":           {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}", "t:{y}"}, `{"x":"A","y":"a"}`, []string{"t:a"}},
		"escaped value":            {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":"\u0041"}`, []string{"t:a"}},
		"another reason beside":    {gateway.AuthOAuth, []gateway.Reason{missing, "hours"}, []string{"a"}, `{}`, nil},
		"another reason":           {gateway.AuthOAuth, []gateway.Reason{"hours"}, []string{"a"}, `{}`, nil},
		"no reason":                {gateway.AuthOAuth, nil, []string{"a"}, `{}`, nil},
		"an API key":               {gateway.AuthAPIKey, []gateway.Reason{missing}, []string{"a"}, `{}`, nil},
		"all held":                 {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"held"}, `{}`, nil},
		"argument absent":          {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{}`, nil},
		"no arguments":             {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, ``, nil},
		"argument of another kind": {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":1}`, nil},
		"argument with a colon":    {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":"a:b"}`, nil},
		"argument with a quote":    {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":"a\"b"}`, nil},
		"argument with a blank":    {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":"a b"}`, nil},
		"argument with a brace":    {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":"{x}"}`, nil},
		"empty argument":           {gateway.AuthOAuth, []gateway.Reason{missing}, []string{"t:{x}"}, `{"x":""}`, nil},
	} {
		p := &gateway.Principal{Method: tt.method, Scopes: []string{"held"}}
		e := Refusal(p, tt.reasons, tt.scopes, []byte(tt.arguments))
		if (e != nil) != (tt.want != nil) || e != nil && (e.Code != gateway.CodeInsufficientScope || !slices.Equal(e.Scopes, tt.want)) {
			t.Errorf("%s: %+v, want %v", name, e, tt.want)
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add("a:{x}:{y", `{"x":"b"}`)
	f.Fuzz(func(t *testing.T, scope, value string) {
		filled, ok := fillOne("t:{x}", []byte(`{"x":`+value+`}`))
		if ok && slices.ContainsFunc([]rune(filled[2:]), outsideScope) {
			t.Fatalf("%q fills to %q", value, filled)
		}
		_, _ = fillOne(scope, []byte(`{"x":"v"}`))
	})
}
