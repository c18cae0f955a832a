package rego_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// memoPolicies look at different parts of the input: what one of them may keep
// would be wrong for another.
var memoPolicies = map[string]string{
	"the shipped policy":    "",
	"who":                   `allow if input.subject.id in {"s0", "s1"}`,
	"scopes":                `allow if every s in input.resource.properties.scopes { s in input.subject.properties.scopes }`,
	"groups and tenant":     "allow if {\n\t\"g1\" in input.subject.properties.groups\n\tinput.subject.properties.tenant == \"t0\"\n}",
	"the caller's means":    `allow if input.subject.properties.auth_method == "stdio"` + "\n\n" + `deny contains "client" if input.subject.properties.client == "c1"`,
	"what":                  `allow if input.resource.properties.side_effect == "read"` + "\n\n" + `ask contains "owner" if input.resource.properties.owner == "o1"`,
	"the id alone":          `allow if input.resource.id == "up/t1"`,
	"one argument":          `allow if input.resource.arguments.n == 1`,
	"every argument":        "allow if {\n\tsome k, v in input.resource.arguments\n\tk == \"n\"\n\tv == 2\n}",
	"the whole resource":    "allow if {\n\tr := input.resource\n\tr.arguments.n == 1\n}",
	"action and era":        `allow if input.action.name == "tools/call"` + "\n\n" + `deny contains "old" if input.context.era == "legacy"`,
	"revision":              `allow if input.context.revision == "2026-07-28"` + "\n\n" + `deny contains "pipe" if input.context.transport == "stdio"`,
	"time":                  `allow if endswith(input.context.time, "2Z")`,
	"history":               `allow if input.context.history.calls_hour == 1`,
	"the approval":          "allow if true\n\n" + `deny contains "expired" if input.context.approval.status == "expired"`,
	"answers":               "allow if true\n\n" + `deny contains "said_no" if input.context.responses_untrusted.a.n == 1`,
	"the host":              "allow if true\n\n" + `deny contains "host" if input.context.host_untrusted.name == "h1"`,
	"the whole input":       "allow if {\n\ti := input\n\ti.resource.arguments.n == 1\n}",
	"a walk of it all":      "allow if true\n\ndeny contains \"host\" if {\n\twalk(input, [_, v])\n\tv == \"h1\"\n}",
	"a name put together":   "allow if true\n\ndeny contains \"hour\" if {\n\tk := concat(\"\", [\"his\", \"tory\"])\n\tinput.context[k].calls_hour == 1\n}",
	"a name by data":        "keys := [\"arguments\"]\n\nallow if {\n\tsome k in keys\n\tinput.resource[k].n == 1\n}",
	"it, by a function":     "late(i) if endswith(i.context.time, \"2Z\")\n\nallow if late(input)",
	"a part, by a function": "first(r) if r.arguments.n == 1\n\nallow if first(input.resource)",
	"object.get by a path":  `allow if object.get(input, ["resource", "arguments", "n"], 0) == 2`,
	"its text":              "allow if true\n\ndeny contains \"said\" if contains(json.marshal(input.context), \"h1\")",
	"an import":             "allow if true\n\ndeny contains \"hour\" if history.calls_hour == 2",
	"another subject":       "may if input.subject.id == \"s1\"\n\nallow if may with input.subject.id as input.subject.properties.tenant\n\nallow if input.resource.arguments.n == 1",
	"a comprehension":       "allow if count([a | some a in input.resource.arguments; a == 1]) == 1",
	"a negation":            "allow if not input.resource.arguments.m",
	"what there is of it":   "allow if {\n\tsome k\n\tinput.subject.properties[k] == \"c1\"\n}",
	"every counter":         "allow if {\n\tevery n in input.context.history {\n\t\tn < 2\n\t}\n}",
	"through the library":   "allow if true\n\ndeny contains \"many\" if lib.calls_over(2)",
	"nothing":               `allow if true`,
	"obligations":           "allow if true\n\n" + `obligations contains {"type": "label", "label": "a"} if input.subject.id == "s1"`,
}

// A kept answer must be what a fresh evaluation gives, whatever of the question
// changed since: principals, records and arguments change under the same names.
func TestKeptDecisionsAreNeverStale(t *testing.T) {
	for name, rules := range memoPolicies {
		t.Run(name, func(t *testing.T) {
			o := rego.Options{Timeout: time.Minute}
			if rules != "" {
				o.Dir = folder(t, "p.rego", withImports(rules))
			}
			keeping, err := rego.Load(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.Uncached = true
			fresh, err := rego.Load(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(4, uint64(len(rules))))
			effects := map[gateway.Effect]int{}
			var tools []*rego.Resource
			for range 12 {
				tools = append(tools, randomTool(random))
			}
			for i := range 600 {
				if random.IntN(40) == 0 { // a review replaces what was there under the same name
					tools[random.IntN(len(tools))] = randomTool(random)
				}
				p, r, args, c := randomPrincipal(random), tools[random.IntN(len(tools))], randomArguments(random), randomContext(random)
				got, want := keeping.Decide(t.Context(), p, r, args, c), fresh.Decide(t.Context(), p, r, args, c)
				_, may := got.Permit()
				_, should := want.Permit()
				if got.Effect != want.Effect || may != should || !slices.Equal(got.Reasons, want.Reasons) || !slices.Equal(got.Obligations.Labels, want.Obligations.Labels) {
					t.Fatalf("step %d: kept %s %v %v, fresh %s %v %v, of %v %s %s %+v", i, got.Effect, got.Reasons, may, want.Effect, want.Reasons, should, p, r.ID(), args, c)
				}
				effects[want.Effect]++
			}
			if name != "nothing" && name != "obligations" && len(effects) < 2 {
				t.Errorf("only %v: nothing was told apart", effects)
			}
		})
	}
}

// withImports is a module of these rules, with what they name by an import.
func withImports(rules string) string {
	head := "package mcp.gateway\n"
	if strings.Contains(rules, " lib.") {
		head += "\nimport data.mcp.lib\n"
	}
	if strings.Contains(rules, " history.") {
		head += "\nimport input.context.history\n"
	}
	return strings.Replace(seeAll, "package mcp.gateway\n", head, 1) + rules + "\n"
}

func one(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func randomPrincipal(r *rand.Rand) *gateway.Principal {
	p := &gateway.Principal{
		Issuer: one(r, "i0", "i1"), Subject: one(r, "s0", "s1", "s2"), Tenant: one(r, "t0", "t1"), Client: one(r, "c0", "c1"),
		Method: gateway.AuthMethod(one(r, "api_key", "stdio")),
	}
	for _, s := range []string{"a", "b", "c:p1"} {
		if r.IntN(2) == 0 {
			p.Scopes = append(p.Scopes, s)
		}
	}
	if r.IntN(2) == 0 {
		p.Groups = []string{one(r, "g0", "g1")}
	}
	return p
}

func randomTool(r *rand.Rand) *rego.Resource {
	return rego.NewResource(rego.Item{
		ID: gateway.ItemID{Upstream: "up", Name: one(r, "t0", "t1", "t2")}, Exposed: "up__t", Definition: gateway.Digest(one(r, "sha256-jcs1:0", "sha256-jcs1:1")),
		State: gateway.ExposureState(one(r, "approved", "approved", "changed")),
		Facts: gateway.ExposureFacts{
			SideEffect: gateway.SideEffect(one(r, "read", "write", "destructive")), Reversible: r.IntN(2) == 0, Contained: r.IntN(2) == 0,
			Owner: one(r, "o0", "o1"), Scopes: [][]string{nil, {"a"}, {"a", "b"}, {"c:{n}"}}[r.IntN(4)],
		},
	})
}

func randomArguments(r *rand.Rand) []byte {
	return []byte(one(r, ``, `{}`, `{"n":1}`, `{"n":2}`, `{"n":1.0}`, `{"n":"P1"}`, `{"n":"P2","m":1}`))
}

func randomContext(r *rand.Rand) rego.Context {
	c := rego.Context{
		Action: one(r, "tools/call", "prompts/get"), Era: one(r, "modern", "legacy"), Revision: one(r, "2026-07-28", "2025-11-25"),
		Transport: one(r, "http", "stdio"), Time: now.Add(time.Duration(r.IntN(5)) * time.Second),
		Host: rego.Claimed{Name: one(r, "h0", "h1")}, History: &rego.History{CallsHour: r.IntN(3)},
	}
	if r.IntN(3) == 0 {
		c.Approval = &gateway.ApprovalFact{ID: "a", Approver: "bob", Self: r.IntN(2) == 0, ApprovedAt: now, Expires: now.Add(time.Duration(r.IntN(5)) * time.Second)}
	}
	if r.IntN(3) == 0 {
		c.Responses = []byte(fmt.Sprintf(`{"a":{"n":%d}}`, r.IntN(3)))
	}
	return c
}

// An approval satisfies what is asked, and overrides no denial.
func TestApprovals(t *testing.T) {
	good := gateway.ApprovalFact{ID: "a1", Approver: "bob", ApproverGroups: []string{"leads"}, ApprovedAt: now, Expires: now.Add(time.Minute)}
	self := good
	self.Self = true
	late := good
	late.Expires = now
	for name, c := range map[string]struct {
		rules string
		fact  *gateway.ApprovalFact
		goes  bool
	}{
		"asked, none":                   {`ask contains "a" if true`, nil, false},
		"asked, another":                {`ask contains "a" if true`, &good, true},
		"asked, the caller":             {`ask contains "a" if true`, &self, false},
		"asked, expired":                {`ask contains "a" if true`, &late, false},
		"own consent":                   {"ask contains \"a\" if true\n\nobligations contains {\"type\": \"approval\", \"self\": true} if true", &self, true},
		"the group":                     {"ask contains \"a\" if true\n\nobligations contains {\"type\": \"approval\", \"groups\": [\"leads\"]} if true", &good, true},
		"another group":                 {"ask contains \"a\" if true\n\nobligations contains {\"type\": \"approval\", \"groups\": [\"owners\"]} if true", &good, false},
		"two that must be met":          {"ask contains \"a\" if true\n\nobligations contains {\"type\": \"approval\", \"groups\": [g]} if some g in [\"leads\", \"owners\"]", &good, false},
		"allowed, but owed":             {`obligations contains {"type": "approval"} if true`, nil, false},
		"allowed, owed and given":       {`obligations contains {"type": "approval"} if true`, &good, true},
		"denied, approved all the same": {"ask contains \"a\" if true\n\ndeny contains \"b\" if true", &good, false},
		"not allowed, approved":         {"ask contains \"a\" if true\n\ndeny contains \"b\" if input.subject.id == \"alice\"", &good, false},
	} {
		e := engineOf(t, "p.rego", seeAll+"allow if true\n\n"+c.rules+"\n")
		about := modern
		about.Approval = c.fact
		d := e.Decide(t.Context(), alice, readTool("t"), nil, about)
		if _, ok := d.Permit(); ok != c.goes || d.Err != nil {
			t.Errorf("%s: permit %v (%v), want %v", name, ok, d.Err, c.goes)
		}
	}
}

func TestObligationsFromPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		obligation string
		want       gateway.Obligations
		wrong      bool
	}{
		"mask_arguments":         {`lib.mask_arguments(["/a/b", "/c"])`, gateway.Obligations{MaskArguments: []string{"/a/b", "/c"}}, false},
		"mask_result":            {`lib.mask_result(["/a"])`, gateway.Obligations{MaskResult: []string{"/a"}}, false},
		"result_bytes":           {`lib.result_bytes(100)`, gateway.Obligations{ResultBytes: 100}, false},
		"approval":               {`lib.own_consent`, gateway.Obligations{Approvals: []gateway.ApprovalBy{{Self: true}}}, false},
		"idempotency_key":        {`lib.idempotency_key`, gateway.Obligations{IdempotencyKey: true}, false},
		"rate_class":             {`lib.rate_class("slow")`, gateway.Obligations{RateClasses: []string{"slow"}}, false},
		"label":                  {`lib.label("pii")`, gateway.Obligations{Labels: []string{"pii"}}, false},
		"step_up":                {`lib.step_up(["b", "a"])`, gateway.Obligations{StepUp: []string{"a", "b"}}, false},
		"timeout":                {`lib.timeout(5)`, gateway.Obligations{Timeout: 5 * time.Second}, false},
		"fresh_authentication":   {`lib.fresh_authentication(60)`, gateway.Obligations{FreshWithin: time.Minute}, false},
		"an unknown type":        {`{"type": "notify"}`, gateway.Obligations{}, true},
		"no type":                {`{"paths": ["/a"]}`, gateway.Obligations{}, true},
		"a member too many":      {`{"type": "label", "label": "a", "also": 1}`, gateway.Obligations{}, true},
		"a member too few":       {`{"type": "label"}`, gateway.Obligations{}, true},
		"no pointer":             {`{"type": "mask_result", "paths": ["a"]}`, gateway.Obligations{}, true},
		"a broken pointer":       {`{"type": "mask_result", "paths": ["/a~2"]}`, gateway.Obligations{}, true},
		"nothing to mask":        {`{"type": "mask_result", "paths": []}`, gateway.Obligations{}, true},
		"a negative bound":       {`{"type": "result_bytes", "max": -1}`, gateway.Obligations{}, true},
		"half a byte":            {`{"type": "result_bytes", "max": 1.5}`, gateway.Obligations{}, true},
		"a label that is a text": {`{"type": "label", "label": "Not this"}`, gateway.Obligations{}, true},
		"a word":                 {`"label"`, gateway.Obligations{}, true},
	} {
		if c.wrong { // as it is written down it would not load
			c.obligation = "json.unmarshal(`" + c.obligation + "`)"
		}
		e := engineOf(t, "p.rego", "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\nallow if true\n\nobligations contains "+c.obligation+" if lib.permitted\n")
		d := e.Decide(t.Context(), alice, readTool("t", "a"), nil, modern)
		if c.wrong != (d.Err != nil) || c.wrong != (d.Effect == gateway.Deny) {
			t.Errorf("%s: %s %v", name, d.Effect, d.Err)
		}
		if !c.wrong && fmt.Sprint(d.Obligations) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, want %+v", name, d.Obligations, c.want)
		}
	}
}

// What a rule in mode warn or audit says is noted, and weighs nothing.
func TestModes(t *testing.T) {
	const rules = "allow if true\n\n# METADATA\n# custom: {mode: warn}\ndeny contains \"new_rule\" if input.subject.id == \"alice\"\n\n" +
		"# METADATA\n# custom: {mode: audit}\nask contains \"quiet_rule\" if input.subject.id == \"alice\"\n\ndeny contains \"old_rule\" if input.subject.id == \"bob\"\n"
	bob := *alice
	bob.Subject = "bob"
	for name, c := range map[string]struct {
		data            string
		p               *gateway.Principal
		effect          gateway.Effect
		reasons         string
		warned, watched string
	}{
		"by annotation":         {`{}`, alice, gateway.Allow, "[]", "[new_rule]", "[quiet_rule]"},
		"beside one that binds": {`{}`, &bob, gateway.Deny, "[old_rule]", "[]", "[]"},
		"enforced by data":      {`{"mcp": {"modes": {"new_rule": "enforce"}}}`, alice, gateway.Deny, "[new_rule]", "[]", "[quiet_rule]"},
		"a whole bundle":        {`{"mcp": {"modes": {"*": "audit"}}}`, &bob, gateway.Allow, "[]", "[]", "[old_rule]"},
	} {
		e := engineOf(t, "p.rego", seeAll+rules, "data.json", c.data)
		d := e.Decide(t.Context(), c.p, readTool("t"), nil, modern)
		if d.Effect != c.effect || fmt.Sprint(d.Reasons) != c.reasons || fmt.Sprint(d.Warned) != c.warned || fmt.Sprint(d.Watched) != c.watched || d.Err != nil {
			t.Errorf("%s: %s %v, warned %v, watched %v (%v)", name, d.Effect, d.Reasons, d.Warned, d.Watched, d.Err)
		}
	}
}

func TestResults(t *testing.T) {
	for name, c := range map[string]struct {
		rules  string
		effect string
		says   string
	}{
		"nothing speaks about it": {`withhold contains "big" if input.result.bytes > 100`, "release", "[] []"},
		"too big":                 {`withhold contains "big" if input.result.bytes > 10`, "withhold", "[big] []"},
		"by what it says":         {"withhold contains \"says\" if {\n\tsome line in input.result.text_untrusted\n\tcontains(line, \"secret\")\n}", "withhold", "[says] []"},
		"by what it holds":        {`redact contains "/salary" if input.result.structured_untrusted.salary`, "redact", "[] [/salary]"},
		"withheld goes before":    {"redact contains \"/a\" if true\n\nwithhold contains \"b\" if true", "withhold", "[b] []"},
		"an object":               {`result := {"effect": "redact", "reasons": [], "paths": ["/a"]}`, "redact", "[] [/a]"},
		"no answer":               {`result := {"effect": "release", "reasons": []} if input.subject.id == "bob"`, "withhold", "[policy_undefined] []"},
		"no such effect":          {`result := json.unmarshal("{\"effect\": \"allow\", \"reasons\": []}")`, "withhold", "[policy_error] []"},
		"no paths":                {`result := json.unmarshal("{\"effect\": \"redact\", \"reasons\": []}")`, "withhold", "[policy_error] []"},
		"no pointer":              {`redact contains trim("/salary", "/") if true`, "withhold", "[policy_error] []"},
		"a failing built-in":      {`withhold contains "a" if to_number(input.subject.id) == 1`, "withhold", "[policy_error] []"},
	} {
		e := engineOf(t, "p.rego", seeAll+"allow if true\n\n"+c.rules+"\n")
		if !e.JudgesResults() {
			t.Errorf("%s: the rule is not seen", name)
			continue
		}
		v := e.JudgeResult(t.Context(), alice, readTool("t"), modern, &rego.Result{Bytes: 20, Structured: []byte(`{"salary":1}`), Texts: []string{"a secret"}})
		if string(v.Effect) != c.effect || fmt.Sprint(v.Reasons, v.Paths) != c.says {
			t.Errorf("%s: %s %v %v (%v)", name, v.Effect, v.Reasons, v.Paths, v.Err)
		}
	}
	e := shippedEngine(t)
	if v := e.JudgeResult(t.Context(), alice, readTool("t"), modern, &rego.Result{}); e.JudgesResults() || v.Effect != rego.Withhold {
		t.Errorf("%v: what nobody asked for is released", v)
	}
}
