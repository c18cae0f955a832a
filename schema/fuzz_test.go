package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/protocol"
	"mcp-gateway/schema"
)

var seeds = [][2]string{
	{`{"$ref":"#"}`, `1`},
	{`{"$dynamicAnchor":"n","properties":{"x":{"$dynamicRef":"#n"}}}`, `{"x":{"x":1}}`},
	{`{"allOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`, `{"x":{"x":{}}}`},
	{`{"type":["object","null"],"required":["a"],"properties":{"a":{"type":"integer","minimum":0.5,"multipleOf":2}},"additionalProperties":false}`, `{"a":4}`},
	{`{"oneOf":[{"const":1},{"enum":["a",null,true,1.0,[1],{"a":1}]}],"not":{"type":"string","pattern":"^a+$"}}`, `"a"`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"minLength":2},"dependencies":{"a":["b"]}}`, `["é","\u00e9\ud83d\ude00"]`},
	{`{"if":{"type":"number"},"then":{"exclusiveMaximum":10},"else":{"maxItems":2,"uniqueItems":true,"contains":{"const":1}}}`, `[1,1.0,1e0]`},
	{`{"patternProperties":{"^x":{"maxLength":1}},"propertyNames":{"maxLength":3},"unevaluatedProperties":false,"minProperties":1}`, `{"x1":"é","\u0078":2}`},
	{`{"prefixItems":[{"type":"boolean"}],"items":{"type":"number","maximum":1.25},"minItems":1}`, `[true,1.250,-0,0.1e1]`},
	{`{"$id":"https://a.invalid/x","$defs":{"b":{"$id":"b","$anchor":"q","type":"null"}},"anyOf":[{"$ref":"b#q"},{"dependentSchemas":{"a":false}}]}`, `{"a":null}`},
}

// FuzzCompileCheck holds three things: nothing panics; everything ends, within
// limits small enough for the fuzzer to notice when it does not; and the fast
// walk over raw bytes agrees with the library.
func FuzzCompileCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	lim := schema.Limits{Bytes: 8 << 10, Nodes: 300, Expansion: 500, Pattern: 500, ValueBytes: 8 << 10, Work: 20_000}
	f.Fuzz(func(t *testing.T, rawSchema, value []byte) {
		s, err := schema.Compile(rawSchema, lim)
		if err != nil || protocol.Check(value, protocol.Limits{Bytes: 8 << 10}) != nil {
			return
		}
		violations, err := s.Check(value)
		s.Undeclared(value)
		if err != nil {
			return
		}
		want, ok := libraryAccepts(t, s, value)
		if ok && want != (violations == nil) {
			t.Fatalf("%s on %s: violations %v, the library accepts: %v", rawSchema, value, violations, want)
		}
	})
}

// libraryAccepts asks the library alone.
func libraryAccepts(t *testing.T, s *schema.Schema, value []byte) (accepts, ok bool) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return false, false
	}
	if !json.Valid(value) {
		t.Fatalf("the strict check passed %s", value)
	}
	return schema.LibraryAccepts(s, v), true
}
