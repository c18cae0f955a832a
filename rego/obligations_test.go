package rego_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego"
)

// An obligation that would permit nothing is found when the policy is loaded, however
// it comes to stand there. Rules stand from line 9 on.
func TestObligationsThatPermitNothing(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		line int
		says string
	}{
		"an unknown type":            {`obligations contains {"type": "aproval", "groups": ["a"]} if lib.writes`, 9, `there is no obligation of type "aproval"; did you mean "approval"?`},
		"an unknown member":          {`obligations contains {"type": "approval", "gruops": ["a"]} if lib.writes`, 9, `obligation approval has no member "gruops"; did you mean "groups"?`},
		"a member missing":           {`obligations contains {"type": "mask_result"}`, 9, "lacks paths"},
		"no type":                    {`obligations contains {"paths": ["/a"]}`, 9, "lacks type"},
		"a wrong type":               {`obligations contains {"type": "approval", "groups": "a"}`, 9, "groups is no list of texts"},
		"a number out of bounds":     {`obligations contains {"type": "timeout", "seconds": 0}`, 9, "seconds is no whole number"},
		"no pointer":                 {`obligations contains {"type": "mask_result", "paths": ["customer.email"]}`, 9, "no JSON Pointer"},
		"no code":                    {`obligations contains {"type": "label", "label": "Not this"}`, 9, "label is no code"},
		"no object":                  {`obligations contains "approval"`, 9, "not an object"},
		"beside what is not known":   {"obligations contains {\"type\": \"approval\", \"gruops\": [g]} if some g in input.subject.properties.groups", 9, `did you mean "groups"?`},
		"through a local name":       {"obligations contains o if {\n\to := {\"type\": \"aproval\"}\n}", 10, `did you mean "approval"?`},
		"through a rule":             {"obligations contains needed if lib.writes\n\nneeded := {\"type\": \"aproval\"}", 11, `did you mean "approval"?`},
		"through a set of them":      {"obligations contains o if some o in needed\n\nneeded := {{\"type\": \"approval\"}, {\"type\": \"timeot\", \"seconds\": 1}}", 11, `did you mean "timeout"?`},
		"through a table":            {"obligations contains table[input.resource.properties.side_effect]\n\ntable := {\"read\": {\"type\": \"label\", \"label\": \"a\"}, \"write\": {\"type\": \"lable\", \"label\": \"a\"}}", 11, `did you mean "label"?`},
		"through an else":            {"obligations contains needed\n\nneeded := {\"type\": \"approval\"} if lib.writes\nelse := {\"type\": \"approvals\"}", 12, `did you mean "approval"?`},
		"through a function":         {"obligations contains by(\"leads\") if lib.writes\n\nby(group) := {\"type\": \"approval\", \"group\": [group]}", 11, `did you mean "groups"?`},
		"a function's argument":      {"obligations contains by(\"leads\") if lib.writes\n\nby(group) := {\"type\": \"approval\", \"groups\": group}", 11, "no list of texts"},
		"an argument of the library": {`obligations contains lib.timeout("soon") if lib.writes`, 9, "obligation timeout seconds is no whole number"},
		"pointers of the library":    {`obligations contains lib.mask_result(["email"]) if lib.writes`, 9, `"email", which is no JSON Pointer`},
		"some of a comprehension":    {"obligations contains o if some o in {{\"type\": \"aproval\", \"groups\": [g]} | some g in [\"a\"]}", 9, `did you mean "approval"?`},
		"some of a union":            {"obligations contains o if {\n\tall := {{\"type\": \"aproval\"}} | {lib.approval}\n\tsome o in all\n}", 10, `did you mean "approval"?`},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", start+c.rule+"\n")
			if len(ps) != 1 {
				t.Fatalf("%d problems for one mistake: %v", len(ps), ps)
			}
			p := ps[0]
			if p.Code != "policy_obligation" || p.Pos.Line != c.line || p.Pos.Col == 0 || filepath.Base(p.Pos.File) != "p.rego" || !strings.Contains(p.Message, c.says) {
				t.Errorf("%+v\nwant line %d and %q", p, c.line, c.says)
			}
		})
	}
	ps := problemsOf(t, "p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n"+
		`decision := {"effect": "ask", "reasons": {"a"}, "obligations": {{"type": "approval", "groups": ["a"], "remember": 1}}}`+"\n")
	if len(ps) != 1 || ps[0].Code != "policy_obligation" || ps[0].Pos.Line != 5 || !strings.Contains(ps[0].Message, `has no member "remember"`) {
		t.Errorf("of a decision: %v", ps)
	}
}

// What may be right when policy is asked loads.
func TestObligationsThatMayBeKept(t *testing.T) {
	for name, rule := range map[string]string{
		"every one of the library": "obligations contains lib.mask_arguments([\"/a\"])\n\nobligations contains lib.mask_result([\"/a\"])\n\nobligations contains lib.result_bytes(10)\n\n" +
			"obligations contains lib.approval\n\nobligations contains lib.approval_by(\"a\")\n\nobligations contains lib.own_consent\n\nobligations contains lib.idempotency_key\n\n" +
			"obligations contains lib.rate_class(\"a\")\n\nobligations contains lib.label(\"a\")\n\nobligations contains lib.step_up([\"a\"])\n\nobligations contains lib.timeout(5)\n\nobligations contains lib.fresh_authentication(5)",
		"by who owns it":             `obligations contains lib.approval_by(input.resource.properties.owner) if lib.writes`,
		"a group of many":            "obligations contains {\"type\": \"approval\", \"groups\": [g | some g in input.subject.properties.groups]}",
		"from data":                  "obligations contains o if some o in data.needed",
		"a member from data":         "obligations contains {\"type\": \"timeout\", \"seconds\": data.limits.seconds}",
		"a type by a variable":       "obligations contains {\"type\": kind, \"label\": \"a\"} if some kind in [\"label\"]",
		"members put together":       "obligations contains object.union({\"type\": \"approval\"}, {\"groups\": [\"a\"]})",
		"clauses by what is asked":   "obligations contains needed(\"label\", \"a\")\n\nneeded(\"timeout\", x) := {\"type\": \"timeout\", \"seconds\": x}\n\nneeded(\"label\", x) := {\"type\": \"label\", \"label\": x}",
		"one member of an object":    "obligations contains settings.needed\n\nsettings := {\"needed\": {\"type\": \"approval\"}, \"other\": {\"type\": \"something\"}}",
		"a name put together":        "obligations contains {\"type\": \"label\", \"label\": concat(\"_\", [\"a\", \"b\"])}",
		"pointers put together":      "obligations contains lib.mask_result([concat(\"/\", [\"\", input.resource.properties.name])])",
		"objects that are something": "notes := {{\"type\": \"aproval\"}}\n\nask contains \"a\" if count(notes) > 1",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", start+rule+"\n", "data.json", `{"needed": {}, "limits": {"seconds": 5}}`)}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The reasons that a policy may give are those that it gives: no group, no scope and no
// word of the input.
func TestReasonsAreTheReasons(t *testing.T) {
	const see = "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\n"
	for name, c := range map[string]struct{ rules, want string }{
		"the simple form": {"allow if {\n\tlib.permitted\n\tinput.resource.properties.side_effect in {\"read\", \"write\"}\n}\n\nask contains \"w\" if lib.writes\n\n" +
			"obligations contains lib.approval_by(\"treasury\") if lib.writes\n\nobligations contains {\"type\": \"approval\", \"groups\": [\"leads\"]} if \"x\" in input.subject.properties.groups\n\n" +
			"names contains \"alice\"\n\ndeny contains \"other\" if not input.subject.id in names", "other w"},
		"declared":                             {"allow if lib.permitted\n\n# METADATA\n# custom: {reasons: [a, b]}\ndeny contains r if some r in {\"a\", \"b\"}", "a b"},
		"a decision":                           {"decision := {\"effect\": \"ask\", \"reasons\": {\"moves_money\"}, \"obligations\": {{\"type\": \"approval\", \"groups\": [\"treasury\"]}}} if \"x\" in input.subject.properties.groups\nelse := {\"effect\": \"deny\", \"reasons\": objections}\n\nobjections contains \"one\"\n\nobjections contains \"two\" if lib.writes", "moves_money one two"},
		"a decision with words that only note": {"decision := {\"effect\": \"allow\", \"reasons\": [], \"warned\": {\"soon\"}} if lib.in_group(\"x\")", "soon"},
		"a union":                              {"decision := {\"effect\": \"deny\", \"reasons\": a | b} if \"x\" in input.subject.properties.groups\n\na := {\"one\"}\n\nb contains r if some r in [\"two\", \"three\"]", "one three two"},
		"not to be followed":                   {"decision := {\"effect\": \"deny\", \"reasons\": array.slice(all, 0, 1)} if \"x\" in input.subject.properties.groups\n\nall := [\"a\", \"b\"]", "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := rego.Check(t.Context(), folder(t, "p.rego", see+c.rules+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for code := range p.Words {
				have = append(have, string(code))
			}
			slices.Sort(have)
			if got := strings.Join(have, " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
