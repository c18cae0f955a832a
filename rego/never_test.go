package rego_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego"
)

// What OPA's checker lets pass must fail at load too: at its place, and with what
// it could have been. Rules stand from line 7 on.
func TestRulesThatNeverMatchFailAtLoad(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		line int
		code string
		says []string
	}{
		"a word outside an enum": {
			`x if input.resource.properties.side_effect == "raed"`, 7, "policy_never_equal",
			[]string{"side_effect", `"raed"`, `did you mean "read"?`}},
		"a word in capitals": {
			`x if input.context.transport == "HTTP"`, 7, "policy_never_equal", []string{`did you mean "http"?`}},
		"a word that is never what it differs from": {
			`x if input.resource.properties.side_effect != "destructiv"`, 7, "policy_never_equal", []string{`did you mean "destructive"?`}},
		"a word in a negation": {
			"x if {\n\tnot input.resource.properties.state == \"aproved\"\n}", 8, "policy_never_equal", []string{`did you mean "approved"?`}},
		"through a local variable": {
			"x if {\n\tp := input.resource.properties\n\tp.state == \"aproved\"\n}", 9, "policy_never_equal", []string{`did you mean "approved"?`}},
		"through two": {
			"x if {\n\tr := input.resource\n\tp := r.properties\n\tword := \"aproved\"\n\tp.state == word\n}", 11, "policy_never_equal", []string{`did you mean "approved"?`}},
		"one word of a set": {
			`x if input.resource.properties.side_effect in {"read", "wirte"}`, 7, "policy_never_equal", []string{`"wirte"`, `did you mean "write"?`}},
		"one word of a set that is a rule": {
			"calm := {\"read\", \"wirte\"}\n\nx if input.resource.properties.side_effect in calm", 7, "policy_never_equal", []string{`did you mean "write"?`}},
		"some word of an array": {
			"x if {\n\tsome word in [\"raed\"]\n\tinput.resource.properties.side_effect == word\n}", 9, "policy_never_equal", []string{`"raed"`}},
		"an enum below every resource": {
			"x contains id if {\n\tsome id, facts in input.resources\n\tfacts.state == \"aproved\"\n}", 9, "policy_never_equal", []string{`did you mean "approved"?`}},
		"a finding's severity": {
			"x if {\n\tsome f in input.resource.properties.findings\n\tf.severity == \"high\"\n}", 9, "policy_never_equal", []string{`"critical"`}},
		"a finding that is every one": {
			"x if {\n\tevery f in input.resource.properties.findings {\n\t\tf.severity == \"high\"\n\t}\n}", 9, "policy_never_equal", []string{`"critical"`}},
		"a word in a comprehension": {
			`x := [f | some f in input.resource.properties.findings; f.severity == "high"]`, 7, "policy_never_equal", []string{`"critical"`}},
		"a field through a function": {
			"reviewed(r) if r.propertis.state == \"approved\"\n\nx if reviewed(input.resource)", 7, "policy_unknown_field",
			[]string{`input.resource has no "propertis"`, `did you mean "properties"?`}},
		"a field through two functions": {
			"inner(p) if p.ownr == \"a\"\n\nouter(r) if inner(r.properties)\n\nx if outer(input.resource)", 7, "policy_unknown_field", []string{`did you mean "owner"?`}},
		"a word through a function": {
			"is(p, word) if p.side_effect == word\n\nx if is(input.resource.properties, \"raed\")", 7, "policy_never_equal", []string{`did you mean "read"?`}},
		"a word for one call of two": {
			"is(p, word) if p.side_effect == word\n\nx if is(input.resource.properties, \"read\")\n\ny if is(input.resource.properties, \"raed\")", 11, "policy_never_equal",
			[]string{"data.mcp.gateway.is is never true for these arguments", `did you mean "read"?`, "line 7"}},
		"a clause by its argument": {
			"weight(\"raed\") := 1\n\nweight(\"write\") := 2\n\nx := weight(input.resource.properties.side_effect)", 7, "policy_never_equal", []string{`did you mean "read"?`}},
		"a field through what a function gives": {
			"facts(r) := r.properties\n\nx if facts(input.resource).ownr == \"a\"", 9, "policy_unknown_field", []string{`did you mean "owner"?`}},
		"a field through a rule": {
			"facts := input.resource.properties\n\nx if facts.ownr == \"a\"", 9, "rego_type_error", []string{`did you mean "owner"?`}},
		"a wrong type through a function": {
			"is(p) if p.outbound == \"no\"\n\nx if is(input.resource.properties)", 7, "policy_wrong_type", []string{"boolean", "string"}},
		"a built-in's operand through a function": {
			"is(p) if startswith(p.outbound, \"n\")\n\nx if is(input.resource.properties)", 7, "policy_wrong_type", []string{"startswith", "boolean"}},
		"object.get": {
			`x if object.get(input.resource.properties, "ownr", "") == ""`, 7, "policy_unknown_field", []string{`did you mean "owner"?`}},
		"object.get by a path": {
			`x if object.get(input.resource, ["properties", "ownr"], "") == ""`, 7, "policy_unknown_field", []string{`did you mean "owner"?`}},
		"a name in a variable": {
			"x if {\n\tname := \"ownr\"\n\tinput.resource.properties[name] == \"a\"\n}", 9, "policy_unknown_field", []string{`did you mean "owner"?`}},
		"a table by an enum": {
			"weights := {\"raed\": 1}\n\nx := weights[input.resource.properties.side_effect]", 9, "policy_unknown_field", []string{"none of"}},
		"a pattern of an object": {
			"x if {\n\tp := input.resource.properties\n\t{\"ownr\": o} = p\n\to == \"a\"\n}", 9, "", nil},
		"a field that stands elsewhere": {
			`x if input.action.arguments.amount > 10`, 7, "rego_type_error", []string{"there is input.resource.arguments (in decision)"}},
		"a field that stands elsewhere, at the top": {
			`x if input.groups[0] == "a"`, 7, "rego_type_error", []string{"there is ", "input.subject.properties.groups"}},
		"a field that stands elsewhere, through a function": {
			"f(a) if a.arguments.amount > 10\n\nx if f(input.action)", 7, "policy_unknown_field", []string{"there is input.resource.arguments (in decision)"}},
		"in an else": {
			"x if input.subject.id == \"a\"\nelse if input.context.era == \"old\"", 8, "policy_never_equal", []string{`"legacy"`}},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", open+"\n"+c.rule+"\n")
			i := slices.IndexFunc(ps, func(p problem) bool { return p.Pos.Line == c.line })
			if i < 0 {
				t.Fatalf("no problem on line %d:\n%v", c.line, ps)
			}
			p := ps[i]
			if c.code != "" && p.Code != c.code || p.Pos.Col == 0 || filepath.Base(p.Pos.File) != "p.rego" || !strings.Contains(p.Excerpt, "^") {
				t.Errorf("problem %+v", p)
			}
			for _, s := range c.says {
				if !strings.Contains(p.Message, s) {
					t.Errorf("message %q does not say %q", p.Message, s)
				}
			}
			if len(ps) > 1 {
				t.Errorf("%d problems for one mistake:\n%v", len(ps), ps)
			}
		})
	}
}

// A field of another phase is no mistake until it is asked for there, also
// through a function.
func TestFieldsOfTheOtherPhaseThroughAFunction(t *testing.T) {
	const lib = "package mcp.helpers\n\nurgent(r) if r.arguments.severity == \"P1\"\n"
	ps := problemsOf(t, "lib.rego", lib, "p.rego", `package mcp.gateway
visible contains id if some id, _ in input.resources
allow if true
withhold contains "urgent" if data.mcp.helpers.urgent(input.resource)
`)
	if len(ps) != 1 || ps[0].Code != "policy_unknown_field" || filepath.Base(ps[0].Pos.File) != "lib.rego" || !strings.Contains(ps[0].Message, `input.resource has no "arguments"`) {
		t.Errorf("problems %v", ps)
	}
}

// Nothing right may be refused.
func TestRulesThatMayMatchLoad(t *testing.T) {
	for name, rule := range map[string]string{
		"clauses by kind":             "rank(\"read\") := 1\n\nrank(x) := 2 if x != \"read\"\n\nx := rank(input.resource.properties.side_effect)\n\ny := rank(\"else\")",
		"a function of several kinds": "named(o) if o.name == \"a\"\n\nnamed(o) if o.id == \"a\"\n\nx if named(input.resource.properties)\n\ny if named(input.subject)",
		"a word of many fields":       "is(v, w) if v == w\n\nx if is(input.resource.properties.side_effect, \"read\")\n\ny if is(input.context.era, \"legacy\")",
		"arguments of any shape":      "x if {\n\tsome k, v in input.resource.arguments\n\tk == \"a\"\n\tv.b.c[0] == true\n}",
		"data of any shape":           "x if data.grants[input.subject.id].tools[_] == input.resource.id",
		"a set of the policy's own":   "words := {\"a\", \"b\"}\n\nx if \"c\" in words",
		"a table by an enum":          "w := {\"read\": 1, \"write\": 2}\n\nx := w[input.resource.properties.side_effect]",
		"a default in object.get":     "x if object.get(input.resource.arguments, \"anything\", null) == null",
		"under with":                  "x if y with input as {\"resource\": {\"properties\": {\"state\": \"none\"}}}\n\ny if input.resource.properties.state == \"approved\"",
		"a string built":              "x if input.resource.id == concat(\"/\", [input.resource.properties.upstream, \"a\"])",
		"a key of every member":       "x if {\n\tsome k\n\tinput.resource.properties[k] == true\n}",
		"an array pattern":            "x if {\n\t[a, b] := split(input.resource.id, \"/\")\n\ta == \"up\"\n\tb == \"t\"\n}",
		"recursion by walk":           "x if {\n\twalk(input.resource.arguments, [path, value])\n\tvalue == \"secret\"\n\tcount(path) > 1\n}",
		"the approval":                "x if input.context.approval.status == \"approved\"",
		"both words":                  "x if input.resource.properties.side_effect in {\"read\", \"write\"}",
		"two subjects":                "same(a, b) if a.id == b.id\n\nx if same(input.subject, data.owners[input.resource.properties.owner])",
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "p.rego", open, "team.rego", "package team\n\n"+rule+"\n", "data.json", `{"grants": {}, "owners": {}}`)
			if _, err := rego.Load(t.Context(), rego.Options{Dir: dir}); err != nil {
				t.Error(err)
			}
		})
	}
}

// What nobody verified may refuse, ask and restrict, and never allow.
func TestAllowsDoNotRestOnClaims(t *testing.T) {
	const see = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n"
	const claim = "input.resource.properties.annotations_untrusted.read_only"
	refused := map[string]string{
		"allow":                    "allow if " + claim,
		"allow unless":             "allow if not input.resource.properties.annotations_untrusted.destructive",
		"allow through a rule":     "calm if " + claim + "\n\nallow if calm",
		"allow through a function": "calm(r) if r.properties.annotations_untrusted.read_only\n\nallow if calm(input.resource)",
		"allow through a variable": "allow if {\n\ta := input.resource.properties.annotations_untrusted\n\ta.read_only\n}",
		"allow through a built-in": "allow if contains(json.marshal(input.context), \"good-host\")",
		"allow through all fields": "allow if {\n\tsome k\n\tinput.context.host_untrusted[k] == \"good-host\"\n}",
		"allow through a deny":     "allow if count(deny) == 0\n\ndeny contains \"a\" if not " + claim,
		"allow by what was said":   "allow if input.context.responses_untrusted.sure.content.yes == true",
		"a decision":               "decision := {\"effect\": \"allow\", \"reasons\": []} if " + claim,
		"a decision that asks":     "decision := {\"effect\": \"ask\", \"reasons\": [\"a\"]} if " + claim,
		"a decision in an else":    "decision := {\"effect\": \"deny\", \"reasons\": [\"a\"]} if input.subject.id == \"a\"\nelse := {\"effect\": \"allow\", \"reasons\": []} if " + claim,
		"an effect of any kind":    "decision := {\"effect\": effect, \"reasons\": [\"a\"]}\n\neffect := \"allow\" if " + claim + "\nelse := \"deny\"",
	}
	for name, rule := range refused {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", see+rule+"\n")
			if len(ps) == 0 || ps[0].Code != "policy_unverified" || ps[0].Pos.Line < 5 || !strings.Contains(ps[0].Message, "_untrusted") {
				t.Errorf("problems %v", ps)
			}
		})
	}
	t.Run("visible", func(t *testing.T) {
		ps := problemsOf(t, "p.rego", "package mcp.gateway\n\nvisible contains id if {\n\tsome id, facts in input.resources\n\tfacts.annotations_untrusted.read_only\n}\n\nallow if true\n")
		if len(ps) != 1 || ps[0].Code != "policy_unverified" || ps[0].Pos.Line != 3 {
			t.Errorf("problems %v", ps)
		}
	})
	for name, rule := range map[string]string{
		"deny":                "allow if true\n\ndeny contains \"a\" if not " + claim,
		"ask":                 "allow if true\n\nask contains \"a\" if input.context.host_untrusted.name == \"x\"",
		"obligations":         "allow if true\n\nobligations contains {\"type\": \"label\", \"label\": \"a\"} if " + claim,
		"withhold":            "allow if true\n\nwithhold contains \"a\" if {\n\tsome line in input.result.text_untrusted\n\tcontains(line, \"x\")\n}",
		"a denying branch":    "decision := {\"effect\": \"deny\", \"reasons\": [\"a\"]} if " + claim + "\nelse := {\"effect\": \"allow\", \"reasons\": []}",
		"facts beside it":     "allow if {\n\tp := input.resource.properties\n\tp.state == \"approved\"\n}",
		"facts by function":   "ok(p) if p.state == \"approved\"\n\nallow if ok(input.resource.properties)",
		"whether it is there": "allow if input.resource.properties",
		"how many there are":  "allow if count(input.resource.properties) > 3",
	} {
		t.Run("may: "+name, func(t *testing.T) {
			if _, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", see+rule+"\n")}); err != nil {
				t.Error(err)
			}
		})
	}
}
