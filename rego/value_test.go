package rego

import (
	"bytes"
	"testing"

	"mcp-gateway/protocol"

	"github.com/open-policy-agent/opa/v1/ast"
)

// FuzzArguments holds the reader to OPA's own: on checked objects both give the
// same value, and on anything else the reader gives an error, not a panic.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"a":1}`, `{"a":[1,2,{"b":null}],"c":"\u00e9\"","d":-1.5e+3}`, `{"a":1,"a":2}`, `[`, `{"a":tru}`,
		`{"a" : "x" , "b" : [ ] }`, `{"":{"":{}}}`, `{"a":1}x`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, "{\"a\":\"\\", `{"n":9007199254740993}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := readArguments(raw)
		if protocol.Check(raw, protocol.DefaultLimits()) != nil || protocol.Kind(raw) != '{' {
			return // only has to survive
		}
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		want, err := ast.ValueFromReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("OPA does not read %q: %v", raw, err)
		}
		if got.Value.Compare(want) != 0 {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	})
}
