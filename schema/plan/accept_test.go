package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	jsonschema "github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-gateway/schema/plan"
	"mcp-gateway/schema/plan/scalar"
)

func build(t testing.TB, raw string) *plan.Node {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	c := jsonschema.NewCompiler()
	if err == nil {
		err = c.AddResource("https://schema.invalid/", doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := plan.Build(c.MustCompile("https://schema.invalid/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const shape = `{"type":"object","properties":{"a":{"type":"string","minLength":2,"maxLength":4}},"required":["a"],"additionalProperties":false}`

// Accept must say yes of itself to what is common, and never for want of fuel.
func TestAcceptProvesTheCommon(t *testing.T) {
	n := build(t, shape)
	for in, want := range map[string]scalar.Verdict{
		`{"a":"xyz"}`: scalar.Yes, ` { "a" : "\u00e9\ud83d\ude00" } `: scalar.Yes, `{"\u0061":"xy"}`: scalar.Yes,
		`{"a":"x"}`: scalar.No, `{"a":"xyzab"}`: scalar.No, `{}`: scalar.No, `{"a":"xy","b":1}`: scalar.No,
		`[]`: scalar.No, `{"a":1}`: scalar.No, ``: scalar.Maybe,
	} {
		if got := n.Accept([]byte(in), 1000); got != want {
			t.Errorf("Accept(%s) = %v, want %v", in, got, want)
		}
	}
	if got := n.Accept([]byte(`{"a":"xyz"}`), 1); got != scalar.Maybe {
		t.Errorf("without fuel: %v, want Maybe", got)
	}
}

func TestWorkCountsWhatMultiplies(t *testing.T) {
	n := build(t, `{"allOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`)
	var v any = map[string]any{}
	for range 10 {
		v = map[string]any{"x": v}
	}
	if n.Work(v, 3000) {
		t.Error("ten levels of doubling cost no more than 3,000 steps")
	}
	if !n.Work(v, 100_000) {
		t.Error("ten levels of doubling cost more than 100,000 steps")
	}
	if !build(t, shape).Work(map[string]any{"a": json.Number("1")}, 20) {
		t.Error("a flat object costs more than 20 steps")
	}
}

// The walk stays within its slice on bytes that nobody checked.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{`{"a":"xyz"}`, `{"a"`, `{"a":`, `"\`, `[1,`, `{"a":"\u00`, `{,`, `}`, `]`, `nul`, `-`} {
		f.Add([]byte(s))
	}
	n := build(f, `{"properties":{"a":{"type":"string","minLength":1}},"required":["a"],"items":{"type":["string","array"],"items":{"$ref":"#"}},"anyOf":[{"$ref":"#/properties/a"},true]}`)
	f.Fuzz(func(t *testing.T, raw []byte) {
		n.Accept(raw, 10_000)
		n.Undeclared(raw, 5, 10_000)
	})
}
