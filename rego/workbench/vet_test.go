package workbench_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/workbench"
)

const vetted = `package mcp.gateway

import data.mcp.lib

visible := lib.entitled

allow if lib.permitted
`

const vetHead = `package mcp.gateway_test

import data.mcp.gateway

caller := {"id": "x", "properties": {"scopes": ["s"]}}

call(class) := {"subject": caller, "resource": {"properties": {"state": "approved", "side_effect": class, "scopes": ["s"]}}}

`

// vet runs the one test of a file whose rules stand from line 9 on.
func vet(t *testing.T, rules string) (*workbench.Report, gateway.Problems) {
	t.Helper()
	r, err := workbench.Test(t.Context(), fstest.MapFS{
		"p.rego":      {Data: []byte(vetted)},
		"p_test.rego": {Data: []byte(vetHead + rules + "\n")},
		"data.json":   {Data: []byte(`{"grants": {}}`)},
	}, "rules", workbench.Options{})
	var ps gateway.Problems
	if err != nil && !errors.As(err, &ps) {
		t.Fatal(err)
	}
	return r, ps
}

// What a test refers to, or puts in the place of the input, is held to what there is:
// a test of a field that no input has passes and shows nothing.
func TestTestsThatShowNothing(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		line int
		code string
		says string
	}{
		"a field of the input":             {`test_a if not gateway.allow with input as {"subject": {"properties": {"scpoes": []}}}`, 9, "policy_unknown_field", `did you mean "scopes"?`},
		"a part of it":                     {`test_a if not gateway.allow with input as {"subjekt": {}}`, 9, "policy_unknown_field", `input has no "subjekt"; did you mean "subject"?`},
		"a field through a rule":           {"test_a if not gateway.allow with input as base\n\nbase := {\"subject\": {\"idd\": \"x\"}}", 11, "policy_unknown_field", `did you mean "id"?`},
		"a field through a function":       {"test_a if not gateway.allow with input as made(\"x\")\n\nmade(who) := {\"subject\": {\"name\": who}}", 11, "policy_unknown_field", `input.subject has no "name"`},
		"a field through a local name":     {"test_a if {\n\tgiven := {\"contxt\": {}}\n\tnot gateway.allow with input as given\n}", 10, "policy_unknown_field", `did you mean "context"?`},
		"a field in a union":               {`test_a if not gateway.allow with input as object.union(call("read"), {"subject": {"propertis": {}}})`, 9, "policy_unknown_field", `did you mean "properties"?`},
		"a field of every resource":        {`test_a if not gateway.allow with input as {"resources": {"up/a": {"stat": "new"}}}`, 9, "policy_unknown_field", `did you mean "state"?`},
		"a field of a case":                {"test_a if {\n\tsome c in [{\"class\": \"read\", \"facts\": {\"ownr\": \"a\"}}]\n\tnot gateway.allow with input as {\"resource\": {\"properties\": c.facts}}\n}", 10, "policy_unknown_field", `did you mean "owner"?`},
		"a field in a comprehension":       {"test_a if count([1 | not gateway.allow with input as {\"subject\": {\"idd\": \"\"}}]) == 1", 9, "policy_unknown_field", `did you mean "id"?`},
		"a field in an every":              {"test_a if {\n\tevery who in [\"a\", \"b\"] {\n\t\tnot gateway.allow with input as {\"subject\": {\"idd\": who}}\n\t}\n}", 11, "policy_unknown_field", `did you mean "id"?`},
		"what is replaced":                 {`test_a if not gateway.allow with input.subject.idd as "x"`, 9, "policy_unknown_field", `did you mean "id"?`},
		"below what is replaced":           {`test_a if not gateway.allow with input.subject as {"idd": "x"}`, 9, "policy_unknown_field", `did you mean "id"?`},
		"a word of a field":                {`test_a if not gateway.allow with input as {"resource": {"properties": {"state": "aproved"}}}`, 9, "policy_never_equal", `did you mean "approved"?`},
		"a word through a call":            {`test_a if not gateway.allow with input as call("raed")`, 9, "policy_never_equal", `did you mean "read"?`},
		"a kind":                           {`test_a if not gateway.allow with input as {"subject": {"properties": {"scopes": "s"}}}`, 9, "policy_wrong_type", "input.subject.properties.scopes is array and never string"},
		"a reference to the input":         {"test_a if known with input as call(\"read\")\n\nknown if not input.subjct.id == \"x\"", 11, "rego_type_error", `did you mean "subject"?`},
		"a word of a reference":            {"test_a if known with input as call(\"read\")\n\nknown if input.context.era == \"old\"", 11, "policy_never_equal", `"legacy"`},
		"a rule that is not there":         {`test_a if not gateway.alow with input as call("read")`, 9, "", `did you mean "allow"?`},
		"a package that is not there":      {`test_a if not data.mcp.gatway.allow with input as call("read")`, 9, "policy_unresolved", `did you mean "gateway"?`},
		"data that is not there":           {`test_a if not data.grnts.x with input as call("read")`, 9, "policy_unresolved", `did you mean "grants"?`},
		"a member of what a decision says": {`test_a if not gateway.decision.efect == "allow" with input as call("read")`, 9, "rego_type_error", "efect"},
	} {
		t.Run(name, func(t *testing.T) {
			_, ps := vet(t, c.rule)
			if len(ps) != 1 {
				t.Fatalf("%d problems for one mistake:\n%v", len(ps), ps)
			}
			p := ps[0]
			if p.Pos.Line != c.line || p.Pos.Col == 0 || p.Pos.File != "rules/p_test.rego" || !strings.Contains(p.Excerpt, "^") || c.code != "" && p.Code != c.code || !strings.Contains(p.Message, c.says) {
				t.Errorf("problem %v, want %s on line %d that says %s", p, c.code, c.line, c.says)
			}
		})
	}
}

// What a test may well mean runs: a word that nobody thought of, a part of an input
// alone, what is put together as it runs.
func TestTestsThatShowSomething(t *testing.T) {
	for name, rule := range map[string]string{
		"a word near none":     `test_a if gateway.allow with input as call("harmless")`,
		"an empty input":       `test_a if not gateway.allow with input as {}`,
		"a set for a list":     `test_a if gateway.allow with input as object.union(call("read"), {"subject": {"properties": {"scopes": {"s", "t"}}}})`,
		"any argument":         `test_a if gateway.allow with input as object.union(call("read"), {"resource": {"arguments": {"whatever": {"deep": 1}}}})`,
		"any claim":            `test_a if gateway.allow with input as object.union(call("read"), {"context": {"host_untrusted": {"name": "x"}}})`,
		"a patch":              `test_a if not gateway.allow with input as json.patch(call("read"), [{"op": "replace", "path": "/subject/properties/scopes", "value": []}])`,
		"data in its place":    `test_a if gateway.allow with input as call("read") with data.grants as {"x": 1}`,
		"cases":                "test_a[note] if {\n\tsome note, c in {\"one\": {\"class\": \"read\"}, \"two\": {\"class\": \"write\"}}\n\tgateway.allow with input as call(c.class)\n}",
		"a resource by its id": `test_a if gateway.visible == {"up/a"} with input as {"subject": caller, "resources": {"up/a": {"state": "approved", "scopes": ["s"], "step_up": false}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, ps := vet(t, rule)
			if len(ps) > 0 {
				t.Fatal(ps)
			}
			for _, o := range r.Outcomes {
				if !o.Passed() {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}
