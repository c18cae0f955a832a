package literals_test

import (
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"

	"mcp-gateway/rego/literals"
)

func TestOf(t *testing.T) {
	c, err := ast.CompileModules(map[string]string{"p.rego": `package p

staff := {"analysts", "admins"}

visible contains id if {
	some id, _ in input.resources
	some group in input.subject.properties.groups
	group in staff
}

visible contains id if {
	some id, _ in input.resources
	holds(input.subject.properties.groups, "on-call")
	data.teams["payments"][input.subject.properties.tenant] == 1
	input.subject.properties["client"] != ""
}

holds(held, wanted) if wanted in held

mapped := {"role": ["editors"]}
`})
	if err != nil {
		t.Fatal(err)
	}
	got := literals.Of(c, map[string]any{"teams": map[string]any{"payments": map[string]any{"acme": 1}}, "roles": []any{"ops", true}})
	for _, want := range []string{"analysts", "admins", "on-call", "payments", "acme", "ops", "role", "editors"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, other := range []string{"", "properties", "groups", "subject", "client", "member_2"} {
		if slices.Contains(got, other) {
			t.Errorf("%q is no text of the policy", other)
		}
	}
	if !slices.IsSorted(got) {
		t.Errorf("%q", got)
	}
}
