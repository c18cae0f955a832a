package rego_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego"
)

// An answer that is none is found when the policy is loaded, at its place and with what
// was meant. Rules stand from line 9 on.
func TestAnswersThatAreNone(t *testing.T) {
	const see = "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\n# The rules.\n\n"
	for name, c := range map[string]struct {
		rule string
		line int
		col  int // 0 = not held to
		code string
		says []string
	}{
		"an effect by another word":  {`decision := {"effect": "permit", "reasons": []}`, 9, 24, "policy_answer", []string{`never "permit"`, `did you mean "allow"?`, "allow, ask or deny"}},
		"an effect in capitals":      {`decision := {"effect": "Deny", "reasons": {"a"}}`, 9, 24, "policy_answer", []string{`did you mean "deny"?`}},
		"an effect that is no text":  {`decision := {"effect": true, "reasons": []}`, 9, 24, "policy_answer", []string{"decision.effect is true"}},
		"an effect in a variable":    {"decision := {\"effect\": e, \"reasons\": {\"a\"}} if {\n\te := \"refuse\"\n}", 10, 0, "policy_answer", []string{`did you mean "deny"?`}},
		"an effect by a rule":        {"decision := {\"effect\": word, \"reasons\": {\"a\"}}\n\nword := \"deny\" if lib.writes\nelse := \"alow\"", 12, 0, "policy_answer", []string{`did you mean "allow"?`}},
		"an effect by a function":    {"decision := {\"effect\": word(\"denny\"), \"reasons\": {\"a\"}}\n\nword(w) := w", 9, 0, "policy_answer", []string{`did you mean "deny"?`}},
		"an effect of an else":       {"decision := {\"effect\": \"deny\", \"reasons\": {\"a\"}} if lib.writes\nelse := {\"effect\": \"permit\", \"reasons\": []}", 10, 20, "policy_answer", []string{`did you mean "allow"?`}},
		"an effect member by member": {"decision.effect := \"permit\"\n\ndecision.reasons := {\"a\"}", 9, 0, "policy_answer", []string{`did you mean "allow"?`}},
		"an effect of a default":     {"default decision := {\"effect\": \"denied\", \"reasons\": [\"a\"]}\n\ndecision := {\"effect\": \"allow\", \"reasons\": []} if lib.permitted", 9, 32, "policy_answer", []string{`did you mean "deny"?`}},
		"an unknown member":          {`decision := {"effect": "deny", "resons": {"a"}}`, 9, 32, "policy_answer", []string{`no member "resons"`, `did you mean "reasons"?`}},
		"no reasons":                 {`decision := {"effect": "allow"}`, 9, 13, "policy_answer", []string{"lacks reasons"}},
		"no effect":                  {`decision := {"reasons": []}`, 9, 13, "policy_answer", []string{"lacks effect"}},
		"a denial without why":       {`decision := {"effect": "deny", "reasons": []}`, 9, 13, "policy_answer", []string{"says deny and gives no reason"}},
		"reasons as a word":          {`decision := {"effect": "deny", "reasons": "a"}`, 9, 43, "policy_answer", []string{`decision.reasons is "a"`}},
		"reasons as an object":       {`decision := {"effect": "deny", "reasons": {"a": true}}`, 9, 43, "policy_answer", []string{"must be a set or an array"}},
		"a reason that is no code":   {`decision := {"effect": "deny", "reasons": ["Not this"]}`, 9, 44, "policy_answer", []string{`holds "Not this"`, "no code"}},
		"a reason of the gateway's":  {`decision := {"effect": "deny", "reasons": {"policy_timeout"}}`, 9, 44, "policy_answer", []string{"the gateway's own"}},
		"a reason by a rule":         {"decision := {\"effect\": \"deny\", \"reasons\": why}\n\nwhy contains \"ok\" if lib.reads\n\nwhy contains \"NotOk\" if lib.writes", 13, 0, "policy_answer", []string{`holds "NotOk"`}},
		"a warning that is no code":  {`decision := {"effect": "allow", "reasons": [], "warned": ["Soon!"]}`, 9, 59, "policy_answer", []string{`decision.warned holds "Soon!"`}},
		"an obligation's kind":       {`decision := {"effect": "allow", "reasons": [], "obligations": [{"type": "timeout", "seconds": "5"}]}`, 9, 64, "policy_obligation", []string{"seconds is no whole number"}},
		"an obligation's key":        {`decision := {"effect": "allow", "reasons": [], "obligations": [{"type": "timeout", "second": 5}]}`, 9, 64, "policy_obligation", []string{`did you mean "seconds"?`}},
		"an obligation's type":       {`decision := {"effect": "allow", "reasons": [], "obligations": {{"type": "time_out"}}}`, 9, 64, "policy_obligation", []string{`did you mean "timeout"?`}},
		"a result's effect":          {"allow if lib.permitted\n\nresult := {\"effect\": \"allow\", \"reasons\": []}", 11, 22, "policy_answer", []string{"release, redact or withhold"}},
		"a result without paths":     {"allow if lib.permitted\n\nresult := {\"effect\": \"redact\", \"reasons\": []}", 11, 11, "policy_answer", []string{"has no paths"}},
		"a result with paths":        {"allow if lib.permitted\n\nresult := {\"effect\": \"release\", \"reasons\": [], \"paths\": [\"/a\"]}", 11, 11, "policy_answer", []string{"they go with redact"}},
		"a path that is none":        {"allow if lib.permitted\n\nredact contains \"salary\" if input.result.bytes > 1", 11, 17, "policy_answer", []string{"no JSON Pointer"}},
		"withheld without why":       {"allow if lib.permitted\n\nresult := {\"effect\": \"withhold\", \"reasons\": []}", 11, 11, "policy_answer", []string{"gives no reason"}},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", see+c.rule+"\n")
			if len(ps) != 1 {
				t.Fatalf("%d problems for one mistake:\n%v", len(ps), ps)
			}
			p := ps[0]
			if p.Code != c.code || p.Pos.Line != c.line || c.col > 0 && p.Pos.Col != c.col || filepath.Base(p.Pos.File) != "p.rego" || !strings.Contains(p.Excerpt, "^") {
				t.Errorf("problem %v, want %s on line %d, column %d", p, c.code, c.line, c.col)
			}
			for _, s := range c.says {
				if !strings.Contains(p.Message, s) {
					t.Errorf("message %q does not say %q", p.Message, s)
				}
			}
		})
	}
}

// What only comes together when policy is asked, and what is right, loads.
func TestAnswersThatMayBe(t *testing.T) {
	const see = "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\n"
	for name, rule := range map[string]string{
		"put together":           "decision := object.union(base, {\"effect\": \"deny\", \"reasons\": {\"a\"}})\n\nbase := {\"obligations\": []}",
		"from data":              "decision := data.answers.strict",
		"a table of answers":     "decision := answers[input.resource.properties.side_effect]\n\nanswers := {\"read\": {\"effect\": \"allow\", \"reasons\": []}, \"write\": {\"effect\": \"ask\", \"reasons\": {\"write\"}, \"obligations\": {{\"type\": \"approval\", \"self\": true}}}}",
		"an effect by a table":   "decision := {\"effect\": effects[input.resource.properties.side_effect], \"reasons\": {\"class\"}}\n\neffects := {\"read\": \"allow\", \"write\": \"ask\", \"destructive\": \"deny\"}",
		"reasons by a rule":      "decision := {\"effect\": \"deny\", \"reasons\": why} if count(why) > 0\nelse := {\"effect\": \"allow\", \"reasons\": set()}\n\nwhy contains \"a\" if lib.writes",
		"an allow with none":     "decision := {\"effect\": \"allow\", \"reasons\": set()}",
		"paths by what is there": "allow if lib.permitted\n\nredact contains path if {\n\tsome name, _ in input.result.structured_untrusted\n\tstartswith(name, \"secret\")\n\tpath := concat(\"/\", [\"\", name])\n}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "p.rego", see+rule+"\n", "data.json", `{"answers": {"strict": {"effect": "deny", "reasons": ["closed"]}}}`)
			if _, err := rego.Load(t.Context(), rego.Options{Dir: dir}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Everything that is wrong with one policy is said at once, in the order of its places.
func TestAnswersAreHeldTogether(t *testing.T) {
	ps := problemsOf(t, "p.rego", "package mcp.gateway\n\nvisible := {7}\n\ndecision := {\"effect\": \"deny\", \"reasons\": {\"A b\"}} if input.subject.id == \"a\"\n\n"+
		"else := {\"effect\": \"permit\", \"reasons\": []}\n")
	var lines []int
	for _, p := range ps {
		lines = append(lines, p.Pos.Line)
	}
	if !slices.Equal(lines, []int{3, 5, 7}) {
		t.Errorf("problems on lines %v:\n%v", lines, ps)
	}
}
