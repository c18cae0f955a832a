package schema_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/schema"
)

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(raw), schema.Limits{})
	if err != nil {
		t.Fatalf("Compile(%.200s): %v", raw, err)
	}
	return s
}

// reasonOf returns the one reason of a refusal.
func reasonOf(t *testing.T, err error) gateway.Reason {
	t.Helper()
	var e *gateway.Error
	if !errors.As(err, &e) || len(e.Reasons) != 1 || e.Code != gateway.CodeContractViolation {
		t.Fatalf("error is %#v, want a *gateway.Error of contract_violation with one reason", err)
	}
	return e.Reasons[0]
}

func nested(open, inner, end string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

const unsafe, invalid = gateway.ReasonSchemaUnsafe, gateway.ReasonSchemaInvalid

func TestHostileSchemasAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want gateway.Reason
	}{
		"self reference":        {`{"$ref":"#"}`, unsafe},
		"mutual references":     {`{"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, unsafe},
		"cycle through allOf":   {`{"allOf":[{"$ref":"#"}]}`, unsafe},
		"cycle through not":     {`{"not":{"$ref":"#"}}`, unsafe},
		"cycle through if":      {`{"if":true,"then":{"$ref":"#"}}`, unsafe},
		"cycle through depends": {`{"dependentSchemas":{"a":{"$ref":"#"}}}`, unsafe},
		"cycle by anchor":       {`{"$anchor":"r","anyOf":[{"$ref":"#r"}]}`, unsafe},
		"cycle by id":           {`{"$id":"https://x.invalid/a","oneOf":[{"$ref":"https://x.invalid/a"}]}`, unsafe},
		"cycle by dynamicRef":   {`{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, unsafe},
		"cycle over dynamic": {`{"properties":{"x":{"$ref":"b"}},"$defs":{
			"b":{"$id":"b","$defs":{"i":{"$dynamicAnchor":"n"}},"$dynamicRef":"#n"},
			"c":{"$dynamicAnchor":"n","$ref":"b"}}}`, unsafe},
		"cycle in an unused def": {`{"$defs":{"a":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, unsafe},
		"doubling allOf":         {doubling(30), unsafe},
		"deep properties":        {nested(`{"properties":{"a":`, `{}`, `}}`, 2000), unsafe},
		"wide anyOf":             {`{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 20_000) + `true]}`, unsafe},
		"too many bytes":         {`{"description":"` + strings.Repeat("x", 1<<20) + `"}`, unsafe},
		"number bomb":            {`{"maximum":1e1000001}`, unsafe},
		"long number":            {`{"maximum":` + strings.Repeat("9", 200) + `}`, unsafe},
		"length over 64 bits":    {`{"minLength":18446744073709551616}`, unsafe},
		"length by exponent":     {`{"minLength":1e30}`, unsafe},
		"remote ref":             {`{"$ref":"http://169.254.169.254/latest/meta-data/"}`, unsafe},
		"file ref":               {`{"$ref":"file:///etc/passwd"}`, unsafe},
		"relative ref":           {`{"$ref":"other.json"}`, unsafe},
		"remote ref beside id":   {`{"$id":"https://x.invalid/a","properties":{"a":{"$ref":"b"}}}`, unsafe},
		"ref to a meta-schema":   {`{"$id":"https://x.invalid/a","$ref":"https://json-schema.org/draft/2020-12/schema"}`, unsafe},
		"lookahead":              {`{"properties":{"a":{"pattern":"^(?=x)"}}}`, unsafe},
		"backreference":          {`{"patternProperties":{"(a)\\1":true}}`, unsafe},
		"huge pattern":           {`{"pattern":"^(.{1,100}){1,100}$"}`, unsafe},
		"recursiveRef":           {`{"properties":{"a":{"$recursiveRef":"#"}}}`, unsafe},
		"draft-03":               {`{"$schema":"http://json-schema.org/draft-03/schema#","type":"object"}`, invalid},
		"2019-09":                {`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, invalid},
		"own dialect":            {`{"$schema":"https://x.invalid/meta"}`, invalid},
		"mixed dialects":         {`{"$defs":{"a":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#"}},"$ref":"a"}`, unsafe},
		"mistyped keyword":       {`{"type":7}`, invalid},
		"no such place":          {`{"$ref":"#/$defs/absent"}`, invalid},
		"not a schema":           {`[]`, invalid},
		"two documents":          {`{} {}`, invalid},
		"duplicate names":        {`{"type":"object","type":"string"}`, invalid},
		"empty":                  {``, invalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.Compile([]byte(tc.raw), schema.Limits{})
			if got := reasonOf(t, err); got != tc.want {
				t.Errorf("reason %q, want %q: %v", got, tc.want, err)
			}
		})
	}
}

func TestRefusalNamesThePlace(t *testing.T) {
	for raw, want := range map[string]string{
		`{"properties":{"a/b":{"pattern":"(?!x)"}}}`:            `"/properties/a~1b/pattern"`,
		`{"allOf":[{},{"$ref":"http://x.invalid/"}]}`:           `"/allOf/1/$ref"`,
		`{"$schema":"http://json-schema.org/draft-03/schema#"}`: `draft-03`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`:        `"/properties/a"`,
	} {
		_, err := schema.Compile([]byte(raw), schema.Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%s) = %v, want it to name %s", raw, err, want)
		}
	}
}

func TestRequireObject(t *testing.T) {
	lim := schema.Limits{RequireObject: true}
	for raw, want := range map[string]gateway.Reason{
		`{"type":"object"}`: "",
		`{"$schema":"http://json-schema.org/draft-07/schema#"}`: invalid,
		`{"type":["object"]}`: invalid,
		`{"type":"string"}`:   invalid,
		`true`:                invalid,
	} {
		var got gateway.Reason
		if _, err := schema.Compile([]byte(raw), lim); err != nil {
			got = reasonOf(t, err)
		}
		if got != want {
			t.Errorf("Compile(%s) refuses with %q, want %q", raw, got, want)
		}
	}
}

func TestRecursionThroughTheValueIsAllowed(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#"},
		"kids":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}`)
	if vs, err := s.Check([]byte(`{"v":1,"next":{"kids":[{"v":2},{}]}}`)); vs != nil || err != nil {
		t.Errorf("valid tree: %v, %v", vs, err)
	}
	vs, err := s.Check([]byte(`{"next":{"kids":[{"v":2},{"v":"x"}]}}`))
	if want := []gateway.Violation{{Pointer: "/next/kids/1/v", Keyword: "type"}}; err != nil || !reflect.DeepEqual(vs, want) {
		t.Errorf("got %v, %v, want %v", vs, err, want)
	}
}

// A schema that applies itself twice to the same member costs two to the power
// of the depth; static counts cannot see it, since each level is harmless.
func TestDoublingByDepthIsNotStarted(t *testing.T) {
	s := compile(t, `{"allOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`)
	_, err := s.Check([]byte(nested(`{"x":`, `{}`, `}`, 100)))
	if !errors.Is(err, schema.ErrValueTooDear) {
		t.Errorf("got %v, want ErrValueTooDear", err)
	}
	if vs, err := s.Check([]byte(nested(`{"x":`, `1`, `}`, 5))); vs != nil || err != nil {
		t.Errorf("five levels are cheap: %v, %v", vs, err)
	}
}

func TestValueBound(t *testing.T) {
	s, err := schema.Compile([]byte(`true`), schema.Limits{ValueBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	var e *gateway.Error
	if _, err := s.Check([]byte(`"123456789"`)); !errors.As(err, &e) || e.Code != gateway.CodeTooLarge {
		t.Errorf("11 bytes: %v, want too_large", err)
	}
	if vs, err := s.Check([]byte(`"12345678"`)); vs != nil || err != nil {
		t.Errorf("10 bytes: %v, %v", vs, err)
	}
}

func TestViolations(t *testing.T) {
	for _, tc := range []struct{ schema, value, want string }{
		{`{"required":["a","b/c"]}`, `{}`, `/a required, /b~1c required`},
		{`{"properties":{"o":{"required":["k~"]}}}`, `{"o":{}}`, `/o/k~0 required`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"z":1,"b/":1}`, `/b~1 additionalProperties, /z additionalProperties`},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"a":1,"z":1}`, `/z unevaluatedProperties`},
		{`{"prefixItems":[{}],"items":false}`, `[1,2,3]`, `/1 items, /2 items`},
		{`{"properties":{"never":false}}`, `{"never":1}`, `/never properties`},
		{`{"properties":{"n":{"type":"integer","minimum":3}}}`, `{"n":2}`, `/n minimum`},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1.5}`, `/n type`},
		{`{"type":"object"}`, `[]`, ` type`},
		{`{"anyOf":[{"type":"string"},{"required":["a"]}]}`, `{}`, ` anyOf`},
		{`{"oneOf":[{"type":"integer"},{"minimum":1}]}`, `2`, ` oneOf`},
		{`{"not":{"type":"null"}}`, `null`, ` not`},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"required":["q"]}}}`, `{}`, `/q required`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `/b dependentRequired`},
		{`{"propertyNames":{"maxLength":1}}`, `{"long":1}`, `/long propertyNames`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, `/b required`},
		{`{"items":{"enum":["a","b"]}}`, `["a","c",1]`, `/1 enum, /2 enum`},
		{`{"uniqueItems":true}`, `[1,1.0]`, ` uniqueItems`},
		{`{"contains":{"type":"string"}}`, `[1]`, ` contains`},
		{`{"properties":{"a":{"type":"string"}},"required":["b"],"maxProperties":0}`, `{"a":1}`, ` maxProperties, /a type, /b required`},
		{`{"const":9007199254740992}`, `9007199254740993`, ` const`},
		{`{"enum":[9007199254740992]}`, `9007199254740993`, ` enum`},
		{`{"maximum":9007199254740992}`, `9007199254740993`, ` maximum`},
		{`{"const":{"n":9007199254740992}}`, `{"n":9007199254740993}`, ` const`},
		{`{"multipleOf":0.01}`, `1.015`, ` multipleOf`},
		{`{"pattern":"^a+$"}`, `"ab"`, ` pattern`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":false}`, `[1,2]`, ` additionalItems`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a"}}}`, `{"x":1}`, `/x type`},
		// valid ones
		{`{"const":9007199254740993}`, `9007199254740993`, ``},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"maxLength":2}`, `"\ud83d\ude00\u00e9"`, ``},
		{`{"multipleOf":0.01}`, `1.01`, ``},
		{`{"type":"string","format":"email","default":"x"}`, `"no mail"`, ``},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"email"}`, `"no mail"`, ``},
		{`{"properties":{"$ref":{"type":"string"},"pattern":{"type":"string"}}}`, `{"$ref":"(?=x)"}`, ``},
		{`{"$id":"https://x.invalid/a","$ref":"b","$defs":{"b":{"$id":"b","type":"null"}}}`, `null`, ``},
		{`{"type":"object","required":["\u00e4"]}`, `{"\u00e4":1}`, ``},
	} {
		vs, err := compile(t, tc.schema).Check([]byte(tc.value))
		if err != nil {
			t.Errorf("%s on %s: %v", tc.schema, tc.value, err)
		}
		var got []string
		for _, v := range vs {
			got = append(got, v.Pointer+" "+v.Keyword)
		}
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("%s on %s:\n got %s\nwant %s", tc.schema, tc.value, s, tc.want)
		}
	}
}

func TestViolationsAreCapped(t *testing.T) {
	s := compile(t, `{"items":{"type":"string"}}`)
	vs, err := s.Check([]byte(`[` + strings.Repeat(`1,`, 5000) + `1]`))
	if err != nil || len(vs) != 32 || vs[0].Pointer != "/0" {
		t.Errorf("%d violations (%v), want 32 from /0 on", len(vs), err)
	}
}

func TestUndeclared(t *testing.T) {
	for _, tc := range []struct{ schema, value, want string }{
		{`{"type":"object"}`, `{"a":1}`, `/a`},
		{`{"type":"object","additionalProperties":true}`, `{"a":{"b":1}}`, ``},
		{`{"type":"object","additionalProperties":{"properties":{"b":{}}}}`, `{"a":{"b":1,"c":2}}`, `/a/c`},
		{`{"properties":{"a":{}}}`, `{"a":{"free":1},"z":1}`, `/z`},
		{`{"properties":{"a":{"type":"object"}}}`, `{"a":{"free":{"x":1}}}`, ``},
		{`{"properties":{"a":{"properties":{"b":{}}}}}`, `{"a":{"b":1,"c/d":1}}`, `/a/c~1d`},
		{`{"properties":{"a":{"items":{"properties":{"b":{}}}}}}`, `{"a":[{"b":1},{"c":1}]}`, `/a/1/c`},
		{`{"patternProperties":{"^x-":{}}}`, `{"x-a":1,"y":1}`, `/y`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{}}}}}`, `{"b":1,"c":1}`, `/c`},
		{`{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, `{"a":1,"b":1,"c":1}`, `/c`},
		{`{"if":{"properties":{"a":{}}},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}}}`, `{"a":1,"b":1,"c":1,"d":1}`, `/d`},
		{`{"not":{"properties":{"a":{}}}}`, `{"a":1}`, `/a`},
		{`{"required":["a"]}`, `{"a":1}`, `/a`},
		{`{"allOf":[{"properties":{"o":{"properties":{"a":{}}}}},{"properties":{"o":{"properties":{"b":{}}}}}]}`, `{"o":{"a":1,"b":1,"c":1}}`, `/o/c`},
		{`{"properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":{"x":1}}}`, `/next/next/x`},
		{`{"properties":{"a":{}}}`, `{"\u0061":1,"\u0062":1}`, `/b`},
		{`{"unevaluatedProperties":{"type":"string"}}`, `{"a":"x"}`, ``},
		{`{"properties":{"a":{}}}`, `[{"b":1}]`, ``},
		{`{"properties":{"a":{}}}`, `7`, ``},
	} {
		var got []string
		for _, v := range compile(t, tc.schema).Undeclared([]byte(tc.value)) {
			if v.Keyword != schema.Undeclared {
				t.Errorf("keyword %q", v.Keyword)
			}
			got = append(got, v.Pointer)
		}
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("%s on %s: got %q, want %q", tc.schema, tc.value, s, tc.want)
		}
	}
}
