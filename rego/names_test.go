package rego_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego"
)

// What a policy refers to must be there: a rule that is not there would be undefined,
// and what rests on it never met, or, in a negation, always. Rules stand from line 9 on.
func TestReferencesThatLeadNowhere(t *testing.T) {
	const data = `{"grants": {"alice": {"tools": ["a"]}}, "limits": {"EUR": 1}, "list": [1]}`
	for name, c := range map[string]struct {
		rule string
		line int
		says string
	}{
		"a rule of the library":            {`ask contains "w" if lib.writess`, 9, `data.mcp.lib has no "writess"; did you mean "writes"?`},
		"one in a negation":                {`ask contains "w" if not lib.harmles`, 9, `data.mcp.lib has no "harmles"`},
		"one that would allow":             {`allow if lib.permited`, 9, `did you mean "permitted"?`},
		"a package beside the library":     {`ask contains "w" if data.mcp.libb.writes`, 9, `data.mcp has no "libb"; did you mean "lib"?`},
		"the root":                         {`ask contains "w" if data.mpc.lib.writes`, 9, `data has no "mpc"; did you mean "mcp"?`},
		"a function":                       {`ask contains "w" if lib.tol("a", "b")`, 9, `did you mean "tool"?`},
		"a function in a negation":         {"ask contains \"w\" if {\n\tnot lib.in_grup(\"a\")\n}", 10, `did you mean "in_group"?`},
		"a rule of its own package":        {`ask contains "w" if data.mcp.gateway.wrties`, 9, `data.mcp.gateway has no "wrties"`},
		"a rule of another package":        {`ask contains "w" if data.team.bussy`, 9, `did you mean "busy"?`},
		"in a comprehension":               {`ask contains "w" if count({x | x := lib.writess}) == 0`, 9, `"writes"`},
		"as an argument":                   {`ask contains "w" if is_null(lib.writess)`, 9, `"writes"`},
		"in every":                         {"ask contains \"w\" if {\n\tevery x in data.gants.alice.tools {\n\t\tx == \"a\"\n\t}\n}", 10, `did you mean "grants"?`},
		"in a head":                        {`obligations contains lib.aproval if lib.writes`, 9, `did you mean "approval"?`},
		"through a local name":             {"ask contains \"w\" if {\n\tl := data.grants\n\tl.alise.tools\n}", 11, `data.grants has no "alise"; did you mean "alice"?`},
		"a member of the data":             {`ask contains "w" if data.grnts[input.subject.id]`, 9, `did you mean "grants"?`},
		"a member below":                   {`ask contains "w" if input.resource.arguments.n > data.limits.EURO`, 9, `did you mean "EUR"?`},
		"before what is looked up":         {`ask contains "w" if data.limit[input.resource.arguments.currency] == 1`, 9, `did you mean "limits"?`},
		"a member that is not there":       {`deny contains "frozen" if data.freeze == true`, 9, `object.get`},
		"below what is no object":          {`ask contains "w" if data.limits.EUR.max == 1`, 9, `data.limits.EUR has no "max"`},
		"the target of a with":             {"ask contains \"w\" if lib.writes with data.limts as {}", 9, `did you mean "limits"?`},
		"in an else":                       {"busy if input.subject.id == \"a\"\nelse if lib.writess\n\nask contains \"w\" if busy", 10, `"writes"`},
		"in a rule of another package":     {`ask contains "w" if data.team.lost`, 9, `data.team has no "lost"; it knows "busy"`},
		"in a default's function argument": {"f(x) if x == 1\n\nask contains \"w\" if f(data.limits.USDD)", 11, `data.limits has no "USDD"`},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", start+c.rule+"\n", "team.rego", "package team\n\nbusy if input.subject.id == \"a\"\n", "data.json", data)
			if len(ps) != 1 {
				t.Fatalf("%d problems for one mistake: %v", len(ps), ps)
			}
			p := ps[0]
			if p.Code != "policy_unresolved" || p.Pos.Line != c.line || p.Pos.Col == 0 || filepath.Base(p.Pos.File) != "p.rego" || !strings.Contains(p.Excerpt, "^") || !strings.Contains(p.Message, c.says) {
				t.Errorf("%+v\nwant line %d and %q", p, c.line, c.says)
			}
		})
	}
}

// A rule that nobody asks for decides nothing, whatever it says.
func TestRulesThatDecideNothing(t *testing.T) {
	const decided = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\ndecision := {\"effect\": \"allow\", \"reasons\": []}\n\n\n\n"
	for name, c := range map[string]struct {
		files []string
		file  string
		line  int
		says  string
	}{
		"an entry mistyped":            {[]string{"p.rego", start + `aks contains "w" if input.subject.id == "a"`}, "p.rego", 9, `data.mcp.gateway.aks, so it decides nothing; did you mean "ask"?`},
		"two rules of it, told once":   {[]string{"p.rego", start + "denny contains \"w\" if lib.writes\n\ndenny contains \"x\" if lib.reads"}, "p.rego", 9, `did you mean "deny"?`},
		"obligations":                  {[]string{"p.rego", start + `obligation contains lib.approval if lib.writes`}, "p.rego", 9, `did you mean "obligations"?`},
		"of the result":                {[]string{"p.rego", start + `withold contains "w" if input.result.bytes > 1`}, "p.rego", 9, `did you mean "withhold"?`},
		"a helper that nothing uses":   {[]string{"p.rego", start + `office_hours if lib.hours("08", "18")`}, "p.rego", 9, "refer to it"},
		"a function":                   {[]string{"p.rego", start + `office(h) if h > 8`}, "p.rego", 9, "data.mcp.gateway.office"},
		"a helper of it is not told":   {[]string{"p.rego", start + "aks contains \"w\" if busy\n\nbusy if lib.writes"}, "p.rego", 9, `did you mean "ask"?`},
		"a helper of tests alone":      {[]string{"p.rego", start + "scene := {\"a\": 1}\n", "p_test.rego", "package mcp.gateway_test\n\ntest_a if data.mcp.gateway.scene.a == 1\n"}, "p.rego", 9, "data.mcp.gateway.scene"},
		"an allow beside a decision":   {[]string{"p.rego", decided + `allow if true`}, "p.rego", 9, "a decision or result that is written out"},
		"a deny beside a decision":     {[]string{"p.rego", decided + `deny contains "a" if input.subject.id == "a"`}, "p.rego", 9, "a decision or result that is written out"},
		"a package mistyped":           {[]string{"p.rego", start, "q.rego", "package mcp.gatway\n\nfrozen contains \"a\" if input.subject.id == \"a\"\n"}, "q.rego", 1, `did you mean "mcp.gateway"?`},
		"a package of its own":         {[]string{"p.rego", start, "q.rego", "package team\n\ndeny contains \"a\" if input.subject.id == \"a\"\n"}, "q.rego", 1, "nothing comes to package team"},
		"an entry of a team, mistyped": {[]string{"p.rego", start + "# METADATA\n# custom: {reasons: [a]}\ndeny contains r if some r in data.teams[_].deny", "q.rego", "package teams.pay\n\ndeny contains \"a\" if input.subject.id == \"a\"\n\ndenny contains \"a\" if input.subject.id == \"b\"\n"}, "q.rego", 5, `did you mean "deny"?`},
	} {
		t.Run(name, func(t *testing.T) {
			c.files[1] += "\n"
			ps := problemsOf(t, c.files...)
			if len(ps) != 1 {
				t.Fatalf("%d problems for one mistake: %v", len(ps), ps)
			}
			p := ps[0]
			if p.Code != "policy_idle" || p.Pos.Line != c.line || filepath.Base(p.Pos.File) != c.file || !strings.Contains(p.Message, c.says) {
				t.Errorf("%+v\nwant %s:%d and %q", p, c.file, c.line, c.says)
			}
		})
	}
}

// What is written in practice is there, and counts.
func TestNamesThatAreThere(t *testing.T) {
	for name, files := range map[string][]string{
		"a library under another name": {"p.rego", strings.NewReplacer("import data.mcp.lib", "import data.mcp.lib as l", "lib.", "l.").Replace(start)},
		"a library by a local name":    {"p.rego", start + "ask contains \"w\" if {\n\tp := data.limits\n\tp.EUR == 1\n}", "data.json", `{"limits": {"EUR": 1}}`},
		"data by a variable":           {"p.rego", start + "ask contains \"w\" if data.limits[input.subject.id].max[_] == 1", "data.json", `{"limits": {}}`},
		"data with a default":          {"p.rego", start + "deny contains \"frozen\" if object.get(data.settings, \"freeze\", false)", "data.json", `{"settings": {}}`},
		"an element of data":           {"p.rego", start + "ask contains \"w\" if data.list[0] == 1", "data.json", `{"list": []}`},
		"a whole package":              {"p.rego", start + "ask contains \"w\" if count(data.team) > 1", "q.rego", "package team\n\na := 1\n"},
		"what with puts there":         {"p.rego", start + "ask contains \"w\" if busy with data.mode as \"busy\"\n\nbusy if data.mode == \"busy\""},
		"rules of teams":               {"p.rego", start + "# METADATA\n# custom: {reasons: [a]}\ndeny contains r if some r in data.teams[_].deny", "q.rego", "package teams.pay\n\ndeny contains \"a\" if busy\n\nbusy if input.subject.id == \"a\"\n"},
		"a library that is not used":   {"p.rego", start, "q.rego", "package team\n\nbusy if input.subject.id == \"a\"\n\nlimits contains 1\n"},
		"helpers of helpers":           {"p.rego", start + "ask contains \"w\" if busy\n\nbusy if very(input.subject)\n\ndefault busy := false\n\nvery(s) if s.id in names\n\nnames := {\"a\"}"},
		"a partial object":             {"p.rego", start + "ask contains \"w\" if level[input.subject.id].high\n\nlevel[id].high if some id in {\"a\"}"},
		"helpers of the sets":          {"p.rego", start + "ask contains \"w\" if some r in reasons\n\nreasons contains r if some r in {\"a\"}"},
		"a test beside the rules":      {"p.rego", start + "test_a if true"},
		"a decision of these":          {"p.rego", "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\ndecision := {\"effect\": \"deny\", \"reasons\": deny} if count(deny) > 0\nelse := {\"effect\": \"allow\", \"reasons\": []} if allow\n\nallow if lib.permitted\n\ndeny contains \"a\" if lib.writes\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files = slices.Clone(files)
			files[1] += "\n"
			if _, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, files...)}); err != nil {
				t.Error(err)
			}
		})
	}
}
