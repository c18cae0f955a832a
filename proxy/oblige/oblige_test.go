package oblige_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/oblige"
)

func TestArgumentsAreMasked(t *testing.T) {
	for name, c := range map[string]struct{ raw, paths, want string }{
		"a member":                   {`{"a":1,"b":2}`, "/a", `{"b":2}`},
		"the last member":            {`{"a":1}`, "/a", `{}`},
		"nested":                     {`{"a":{"b":"x","c":1.0}}`, "/a/b", `{"a":{"c":1.0}}`},
		"absent":                     {`{"a":1}`, "/b /a/x", `{"a":1}`},
		"an element":                 {`{"a":["x","y"]}`, "/a/1", `{"a":["x",null]}`},
		"every element":              {`{"a":[{"k":1,"l":2},{"k":3}]}`, "/a/*/k", `{"a":[{"l":2},{}]}`},
		"every element and one more": {`{"a":[{"k":1,"l":2},{"k":3,"l":4}]}`, "/a/*/k /a/1/l", `{"a":[{"l":2},{}]}`},
		"a star is a member's name":  {`{"*":1,"a":2}`, "/*", `{"a":2}`},
		"escaped tokens":             {`{"a/b":1,"c~d":2,"e":3}`, "/a~1b /c~0d", `{"e":3}`},
		"an escaped name":            {`{"\u0061":1,"b":2}`, "/a", `{"b":2}`},
		"a whole and a part":         {`{"a":{"b":1}}`, "/a/b /a", `{}`},
		"numbers as sent":            {`{"a":1,"n":1.50e+2,"s":"\u00e9"}`, "/a", `{"n":1.50e+2,"s":"\u00e9"}`},
	} {
		if got := string(oblige.Arguments([]byte(c.raw), strings.Fields(c.paths))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestResultsAreMasked(t *testing.T) {
	for name, c := range map[string]struct{ raw, paths, want string }{
		"a text":     {`{"structuredContent":{"a":"x","b":1}}`, "/a", `{"structuredContent":{"a":"[masked]","b":1}}`},
		"a number":   {`{"structuredContent":{"a":"x","b":1}}`, "/b", `{"structuredContent":{"a":"x"}}`},
		"an element": {`{"structuredContent":{"a":["x",2]}}`, "/a/*", `{"structuredContent":{"a":["[masked]",null]}}`},
		"text that is the same as JSON": {`{"content":[{"type":"text","text":"{\"a\":\"x\",\"b\":1}"}],"structuredContent":{"a":"x","b":1}}`, "/a",
			`{"content":[{"type":"text","text":"{\"a\":\"[masked]\",\"b\":1}"}],"structuredContent":{"a":"[masked]","b":1}}`},
		"text in other words":      {`{"content":[{"type":"text","text":"a is x"}]}`, "/a", `{"content":[{"type":"text","text":"[masked]"}]}`},
		"another block":            {`{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}]}`, "/a", `{"content":[{"type":"text","text":"[masked]"}]}`},
		"_meta goes":               {`{"_meta":{"a":"x"},"content":[]}`, "/a", `{"content":[]}`},
		"our own stays":            {`{"_meta":{"a":"x","mcp-gateway/truncated":{"total":9}},"content":[]}`, "/a", `{"_meta":{"mcp-gateway/truncated":{"total":9}},"content":[]}`},
		"unknown members go":       {`{"resultType":"complete","zork":{"a":"x"},"isError":false,"content":[]}`, "/a", `{"resultType":"complete","isError":false,"content":[]}`},
		"known ones that say more": {`{"resultType":"x","isError":"x","content":[]}`, "/a", `{"content":[]}`},
		"a leaf that is absent":    {`{"structuredContent":{"a":{"c":1}}}`, "/a/b", `{"structuredContent":{"a":{"c":1}}}`},
		"a parent that is null":    {`{"structuredContent":{"a":null}}`, "/a/b", `{"structuredContent":{"a":null}}`},
		"an array for an object":   {`{"structuredContent":{"a":[{"b":"x"}],"c":1}}`, "/a/b", `{"structuredContent":{"c":1}}`},
		"a text for an object":     {`{"structuredContent":{"a":"x","c":1}}`, "/a/b", `{"structuredContent":{"a":"[masked]","c":1}}`},
		"an object for an array":   {`{"structuredContent":{"a":{"b":"x"},"c":1}}`, "/a/*/b", `{"structuredContent":{"c":1}}`},
		"an array for all":         {`{"structuredContent":[{"a":"x"}],"content":[]}`, "/a", `{"content":[]}`},
		"a text in an array":       {`{"structuredContent":{"a":["x",{"b":"x"}]}}`, "/a/*/b", `{"structuredContent":{"a":["[masked]",{"b":"[masked]"}]}}`},
		"text that is another JSON": {`{"content":[{"type":"text","text":"{\"a\":\"x\",\"b\":\"x\"}"}],"structuredContent":{"a":"x"}}`, "/a",
			`{"content":[{"type":"text","text":"[masked]"}],"structuredContent":{"a":"[masked]"}}`},
	} {
		if got := string(oblige.Result([]byte(c.raw), strings.Fields(c.paths), protocol.DefaultLimits())); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// JSON in a text may say the same in another shape.
func TestTextsOfAnotherShapeAreReplaced(t *testing.T) {
	for name, c := range map[string]struct{ text, path, want string }{
		"the shape":            {`{"customer":{"email":"MASKME1","id":1}}`, "/customer/email", `{"customer":{"email":"[masked]","id":1}}`},
		"elements":             {`{"c":[{"e":"MASKME1","n":1}]}`, "/c/*/e", `{"c":[{"e":"[masked]","n":1}]}`},
		"no elements":          {`{"c":[]}`, "/c/*/e", `{"c":[]}`},
		"an array":             {`[{"customer":{"email":"MASKME1"}}]`, "/customer/email", oblige.Masked},
		"within":               {`{"result":{"customer":{"email":"MASKME1"}}}`, "/customer/email", oblige.Masked},
		"quoted":               {`"MASKME1"`, "/customer/email", oblige.Masked},
		"another member":       {`{"note":"MASKME1"}`, "/customer/email", oblige.Masked},
		"another case":         {`{"Customer":{"Email":"MASKME1"}}`, "/customer/email", oblige.Masked},
		"JSON in a string":     {`"{\"customer\":{\"email\":\"MASKME1\"}}"`, "/customer/email", oblige.Masked},
		"a number":             {`17`, "/customer/email", oblige.Masked},
		"the leaf is absent":   {`{"customer":{"mail":"MASKME1"}}`, "/customer/email", oblige.Masked},
		"a parent is a text":   {`{"customer":"MASKME1"}`, "/customer/email", oblige.Masked},
		"a parent is a list":   {`{"customer":[{"email":"MASKME1"}]}`, "/customer/email", oblige.Masked},
		"an element is a text": {`{"c":[{"e":"x"},"MASKME1"]}`, "/c/*/e", oblige.Masked},
		"too few elements":     {`{"c":["MASKME1"]}`, "/c/1", oblige.Masked},
	} {
		raw := protocol.AppendString([]byte(`{"content":[{"type":"text","text":`), c.text)
		out := oblige.Result(append(raw, "}]}"...), []string{c.path}, protocol.DefaultLimits())
		value, _ := protocol.Lookup(out, "/content/0/text")
		if got, _ := protocol.Text(value); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What is masked is nowhere in the outcome, and what comes out is strict JSON.
func FuzzMask(f *testing.F) {
	f.Add([]byte(`{"structuredContent":{"a":{"b":["needle",{"c":"needle"}]}},"content":[{"type":"text","text":"{\"a\":\"needle\"}"}]}`), "/a")
	f.Add([]byte(`{"content":[{"type":"text","text":"needle"}],"structuredContent":{"x":[{"y":"needle"}]}}`), "/x/*/y")
	f.Fuzz(func(t *testing.T, raw []byte, pointer string) {
		if protocol.Check(raw, protocol.DefaultLimits()) != nil || protocol.Kind(raw) != '{' || !strings.HasPrefix(pointer, "/") {
			return
		}
		for _, out := range [][]byte{oblige.Arguments(raw, []string{pointer}), oblige.Result(raw, []string{pointer}, protocol.DefaultLimits())} {
			if err := protocol.Check(out, protocol.DefaultLimits()); err != nil {
				t.Fatalf("%s: %q gives %q", err, raw, out)
			}
		}
		if _, there := protocol.Lookup(oblige.Arguments(raw, []string{pointer}), pointer); there && !strings.ContainsAny(pointer, "0123456789*~") {
			t.Errorf("%s is still in %s", pointer, oblige.Arguments(raw, []string{pointer}))
		}
	})
}

func TestBefore(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	p := &gateway.Principal{Scopes: []string{"a"}, AuthenticatedAt: now.Add(-time.Minute)}
	keyed := &gateway.ExposureFacts{IdempotencyField: "/id"}
	for name, c := range map[string]struct {
		owed   gateway.Obligations
		p      *gateway.Principal
		facts  *gateway.ExposureFacts
		args   string
		reason gateway.Reason
	}{
		"nothing":              {gateway.Obligations{}, p, keyed, `{}`, ""},
		"a scope that is held": {gateway.Obligations{StepUp: []string{"a"}}, p, keyed, `{}`, ""},
		"a scope that is not":  {gateway.Obligations{StepUp: []string{"a", "b"}}, p, keyed, `{}`, gateway.ReasonScopeMissing},
		"fresh":                {gateway.Obligations{FreshWithin: time.Minute}, p, keyed, `{}`, ""},
		"old":                  {gateway.Obligations{FreshWithin: time.Minute - 1}, p, keyed, `{}`, gateway.ReasonAuthentication},
		"of unknown age":       {gateway.Obligations{FreshWithin: time.Hour}, &gateway.Principal{}, keyed, `{}`, gateway.ReasonAuthentication},
		"from the future":      {gateway.Obligations{FreshWithin: time.Hour}, &gateway.Principal{AuthenticatedAt: now.Add(1)}, keyed, `{}`, gateway.ReasonAuthentication},
		"a key":                {gateway.Obligations{IdempotencyKey: true}, p, keyed, `{"id":"k"}`, ""},
		"no key":               {gateway.Obligations{IdempotencyKey: true}, p, keyed, `{}`, gateway.ReasonKeyMissing},
		"an empty key":         {gateway.Obligations{IdempotencyKey: true}, p, keyed, `{"id":""}`, gateway.ReasonKeyMissing},
		"a key that is none":   {gateway.Obligations{IdempotencyKey: true}, p, keyed, `{"id":1}`, gateway.ReasonKeyMissing},
		"a tool without keys":  {gateway.Obligations{IdempotencyKey: true}, p, &gateway.ExposureFacts{}, `{"id":"k"}`, gateway.ReasonKeyMissing},
	} {
		err := oblige.Before(&c.owed, c.p, c.facts, []byte(c.args), now)
		e, _ := err.(*gateway.Error)
		if (err == nil) != (c.reason == "") || e != nil && !slices.Equal(e.Reasons, []gateway.Reason{c.reason}) {
			t.Errorf("%s: %v, want %q", name, err, c.reason)
		}
	}
}
