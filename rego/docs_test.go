package rego_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
	"mcp-gateway/rego/policy"
)

// start stands before an example that is a part of a policy.
const start = "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\nallow if lib.permitted\n\n"

// fenced is a block of Rego in a page, with the data.json that a page gives it.
var fenced = regexp.MustCompile("(?s)```rego\n(.*?)```(?:\nwith this `data.json` beside it:\n\n```json\n(.*?)```)?")

// example is a policy that somebody may copy.
type example struct{ name, rules, data string }

// examples are those of the pages and of the library's own head.
func examples(t *testing.T) []example {
	t.Helper()
	var out []example
	for _, page := range []string{"../docs/guides/policy.md", "../docs/guides/approvals.md", "../README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], "…") { // an outline
				out = append(out, example{page, m[1], m[2]})
			}
		}
	}
	_, head, _ := strings.Cut(policy.Library()[0].Text, "#     package mcp.gateway\n")
	head, _, _ = strings.Cut(head, "#\n#   `")
	return append(out, example{"the library's head", "package mcp.gateway\n" + strings.ReplaceAll(head, "#     ", ""), ""})
}

// decisions asks about every side effect, reversible or not, outbound or not, of
// someone who holds the scope and of someone who does not.
func decisions(t *testing.T, e *rego.Engine, each func(effect gateway.SideEffect, d rego.Decision)) {
	t.Helper()
	for _, effect := range []gateway.SideEffect{gateway.Read, gateway.Write, gateway.Destructive, "", "harmless"} {
		for bits := range 8 {
			p := &gateway.Principal{Subject: "alice", Groups: []string{"support"}}
			if bits&1 != 0 {
				p.Scopes = []string{"use"}
			}
			r := rego.NewResource(rego.Item{ID: gateway.ItemID{Upstream: "up", Name: "tool"}, State: gateway.StateApproved, Facts: gateway.ExposureFacts{
				SideEffect: effect, Reversible: bits&2 != 0, Contained: bits&4 != 0, Scopes: []string{"use"}}})
			each(effect, e.Decide(t.Context(), p, r, []byte(`{"amount":1,"path":"/srv/public/a"}`), modern))
		}
	}
}

// What a page shows is what is copied. Whole policies never let a tool go ahead unasked
// that may destroy, and let reads go ahead; parts load.
func TestExamplesOfThePages(t *testing.T) {
	all := examples(t)
	whole := 0
	for _, ex := range all {
		rules := ex.rules
		entire := strings.HasPrefix(rules, "package ")
		if !entire {
			rules = start + rules
			if ex.data == "" {
				ex.data = `{"limits": {"EUR": 100}}`
			}
		}
		if ex.data == "" {
			ex.data = "{}"
		}
		if strings.Contains(rules, "harmless if") || strings.Contains(rules, "new_rule") {
			continue // of the shipped policy, and of modes: their rules have tests of their own
		}
		e, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", rules, "data.json", ex.data)})
		if err != nil {
			t.Errorf("%s: %v\n%s", ex.name, err, rules)
			continue
		}
		if !entire {
			continue
		}
		whole++
		allowed := 0
		decisions(t, e, func(effect gateway.SideEffect, d rego.Decision) {
			if d.Err != nil {
				t.Errorf("%s: %s: %v", ex.name, effect, d.Err)
			}
			if d.Effect == gateway.Allow && effect != gateway.Read {
				t.Errorf("%s: a tool whose side effect is %q goes ahead unasked", ex.name, effect)
			}
			if d.Effect == gateway.Allow {
				allowed++
			}
		})
		if allowed == 0 {
			t.Errorf("%s lets nothing go ahead", ex.name)
		}
	}
	if whole != 2 || len(all) < 5 {
		t.Errorf("%d whole policies among %d examples, want the guide's and the library's", whole, len(all))
	}
}

// The lines that come to mind first leave nothing worse out than what they name.
func TestOneLineRulesCoverWhatIsWorse(t *testing.T) {
	for _, rule := range []string{
		`ask contains "write" if lib.writes`,
		`ask contains "write" if not lib.reads`,
		`deny contains "write" if lib.writes`,
		`ask contains "destructive" if lib.destroys`,
		`deny contains "destructive" if lib.destroys`,
	} {
		e, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", start+rule+"\n")})
		if err != nil {
			t.Fatal(err)
		}
		decisions(t, e, func(effect gateway.SideEffect, d rego.Decision) {
			if d.Effect == gateway.Allow && effect != gateway.Read && effect != gateway.Write {
				t.Errorf("%s: a tool whose side effect is %q goes ahead unasked", rule, effect)
			}
		})
	}
}
