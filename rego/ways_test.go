package rego_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/rego"
)

// What is wrong by a longer way fails at load as well, and is said once.
func TestNeverByLongerWays(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		code string
		says string
	}{
		"a key of an iteration":             {"x if {\n\tsome k, v in input.resource.properties\n\tk == \"ownr\"\n\tv == \"a\"\n}", "policy_never_equal", `did you mean "owner"?`},
		"a key that is free":                {"x if {\n\tinput.resource.properties[k] == \"a\"\n\tk == \"ownr\"\n}", "policy_never_equal", `did you mean "owner"?`},
		"a key of an array":                 {"x if {\n\tsome i, s in input.subject.properties.scopes\n\ti == \"a\"\n\ts == \"b\"\n}", "", "number"},
		"a comparison of kinds":             {`x if input.context.history.calls_hour > "5"`, "policy_wrong_type", "number"},
		"a comparison by a function":        {"over(h, n) if h.calls_hour >= n\n\nx if over(input.context.history, \"5\")", "policy_wrong_type", "number"},
		"a prefix of an enum":               {`x if startswith(input.resource.properties.side_effect, "raed")`, "policy_never_equal", "startswith"},
		"a glob over an enum":               {`x if glob.match("raed*", [], input.resource.properties.side_effect)`, "policy_never_equal", "glob.match"},
		"a regex over an enum":              {`x if regex.match("^(raed|wirte)$", input.resource.properties.side_effect)`, "policy_never_equal", "regex.match"},
		"a word in another case":            {`x if lower(input.resource.properties.side_effect) == "READ"`, "policy_never_equal", `"read"`},
		"what upper gives":                  {`x if upper(input.resource.properties.side_effect) in {"READ", "RAED"}`, "policy_never_equal", `"RAED"`},
		"a field of what filter leaves":     {"x if object.filter(input.resource.properties, [\"owner\"]).ownr == \"a\"", "policy_unknown_field", `did you mean "owner"?`},
		"a field of what remove leaves":     {"x if {\n\tp := object.remove(input.resource.properties, [\"owner\"])\n\tp.stte == \"approved\"\n}", "policy_unknown_field", `did you mean "state"?`},
		"a field of what is sorted":         {"x if sort(input.resource.properties.findings)[0].severity == \"high\"", "policy_never_equal", `"critical"`},
		"object.get by a path of a name":    {"x if {\n\tp := [\"properties\", \"ownr\"]\n\tobject.get(input.resource, p, \"\") == \"a\"\n}", "policy_unknown_field", `did you mean "owner"?`},
		"a field through a partial object":  {"facts[k] := input.resource.properties if k := \"p\"\n\nx if facts.p.ownr == \"a\"", "", `did you mean "owner"?`},
		"a field through a partial set":     {"facts contains input.resource.properties\n\nx if {\n\tsome f in facts\n\tf.ownr == \"a\"\n}", "", `did you mean "owner"?`},
		"an alias of the input":             {"x if {\n\ti := input\n\ti.resource.propertis.owner == \"a\"\n}", "", `did you mean "properties"?`},
		"an import of the input":            {"x if {\n\tgiven(subject)\n}\n\ngiven(s) if s.tennant == \"a\"", "policy_unknown_field", "tennant"},
		"a name of the input by a variable": {"x if {\n\tname := \"subjct\"\n\tinput[name].id == \"a\"\n}", "policy_unknown_field", `did you mean "subject"?`},
		"a set where an array is":           {"has(s) if s == {\"a\"}\n\nx if has(input.subject.properties.scopes)", "", "set"},
		"an array cut with a set":           {"both(s) := s & {\"a\"}\n\nx if count(both(input.subject.properties.scopes)) > 0", "", "array"},
		"a word against an array":           {"has(s) if s == [\"a\"]\n\nx if has(input.subject.id)", "", "string"},
		"an else by an argument":            {"rank(e) := 1 if {\n\te == \"raed\"\n} else := 2 if {\n\te == \"wirte\"\n}\n\nx := rank(input.resource.properties.side_effect)", "policy_never_equal", `"raed"`},
		"a default beside it":               {"default x := false\n\nx if input.resource.properties.state == \"aproved\"", "policy_never_equal", `did you mean "approved"?`},
		"every over a set of words":         {"x if {\n\tevery w in {\"raed\"} {\n\t\tw != input.resource.properties.side_effect\n\t}\n}", "policy_never_equal", `did you mean "read"?`},
		"with, beside it":                   {"x if {\n\ty with data.a as 1\n\tinput.resource.properties.state == \"aproved\"\n}\n\ny if data.a == 1", "policy_never_equal", `did you mean "approved"?`},
		"nested functions by their value":   {"props(r) := r.properties\n\nown(p) := p.ownr\n\nx if own(props(input.resource)) == \"a\"", "policy_unknown_field", `did you mean "owner"?`},
		"a comprehension of objects":        {"x if {\n\tall := {id: p | some id, p in input.resources}\n\tall[\"a\"].ownr == \"a\"\n}", "", `did you mean "owner"?`},
	} {
		t.Run(name, func(t *testing.T) {
			head := open
			if name == "an import of the input" {
				head = strings.Replace(open, "package mcp.gateway\n", "package mcp.gateway\n\nimport input.subject\n", 1)
			}
			ps := problemsOf(t, "p.rego", head+"\n"+c.rule+"\n")
			i := slices.IndexFunc(ps, func(p problem) bool { return strings.Contains(p.Message, c.says) && (c.code == "" || p.Code == c.code) })
			if i < 0 {
				t.Errorf("%v\nwant %s that says %s", ps, c.code, c.says)
			}
		})
	}
}

// An allow does not rest on a claim by any way round.
func TestClaimsByLongerWays(t *testing.T) {
	const see = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n"
	const host = "input.context.host_untrusted"
	for name, rule := range map[string]string{
		"that it is there":            "allow if _ = " + host + ".name",
		"that it is not":              "allow if not " + host + ".name",
		"how many there are":          "allow if count([x | x := " + host + ".name]) == 1",
		"how many keys there are":     "allow if count({k | some k, _ in " + host + "}) == 2",
		"a negation of a function":    "good(c) if c.host_untrusted.name == \"x\"\n\nallow if not good(input.context)",
		"a function's argument":       "is(\"good\") if true\n\nallow if is(" + host + ".name)",
		"that an argument is there":   "always(_) if true\n\nallow if always(" + host + ".name)",
		"a function under with":       "good(_) if " + host + ".name == \"x\"\n\nallow if good(1) with input.subject.id as \"a\"",
		"a function mocked":           "good(_) if " + host + ".name == \"x\"\n\nok(x) if x == 2\n\nallow if ok(1) with ok as good",
		"what with puts there":        "allow if y with input.subject.id as " + host + ".name\n\ny if input.subject.id == \"a\"",
		"data by its name":            "allow if data.good[" + host + ".name]",
		"data by a variable":          "allow if {\n\tname := " + host + ".name\n\tdata.good[name].ok\n}",
		"a partial set":               "names contains " + host + ".name\n\nallow if \"x\" in names",
		"how many of a partial set":   "names contains " + host + ".name\n\nallow if count(names) > 0",
		"a partial object's key":      "names[n] := 1 if n := " + host + ".name\n\nallow if names.x",
		"a partial object's value":    "facts[k] := " + host + ".name if k := \"n\"\n\nallow if facts.n == \"x\"",
		"every over none":             "allow if every x in object.keys(" + host + ") { input.subject.id == x }",
		"every over what is there":    "allow if {\n\tevery _, _ in " + host + " {\n\t\tinput.subject.id == \"a\"\n\t}\n}",
		"some of it":                  "allow if some _ in " + host,
		"a walk":                      "allow if {\n\twalk(input, [_, v])\n\tv == \"good-host\"\n}",
		"a patch":                     "allow if json.patch(input.context, []).host_untrusted.name == \"x\"",
		"object.get":                  "allow if object.get(input, [\"context\", \"host_untrusted\", \"name\"], \"\") == \"x\"",
		"an alias":                    "allow if {\n\ti := input\n\tc := i.context\n\tc.host_untrusted.name == \"x\"\n}",
		"a name that is put together": "allow if {\n\tk := concat(\"_\", [\"host\", \"untrusted\"])\n\tinput.context[k].name == \"x\"\n}",
		"an else branch":              "allow if input.subject.id == \"a\"\nelse if " + host + ".name == \"x\"",
		"a default turned round":      "default good := true\n\ngood := false if " + host + ".name == \"x\"\n\nallow if good",
		"a text that is put together": "allow if sprintf(\"%v\", [input.context]) == \"x\"",
		"an object pattern":           "allow if {\n\t{\"name\": n, \"version\": _} = " + host + "\n\tn == \"x\"\n}",
		"a set of it":                 "allow if {" + host + ".name} == {\"x\"}",
		"an object built of it":       "allow if {\n\to := {\"n\": " + host + ".name}\n\to.n == \"x\"\n}",
		"a lookup in a literal":       "allow if {\"x\": true}[" + host + ".name]",
		"another package":             "allow if data.mcp.lib.in_group(" + host + ".name)",
		"an argument that says it":    "same(a, b) if a == b\n\nallow if same(input.context, input.subject)",
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", see+rule+"\n", "data.json", `{"good": {}}`)
			if !slices.ContainsFunc(ps, func(p problem) bool { return p.Code == "policy_unverified" }) {
				t.Errorf("problems %v", ps)
			}
		})
	}
}

// What is written in practice loads, whatever looks at it.
func TestGoodPoliciesLoad(t *testing.T) {
	const see = "package mcp.gateway\n\nimport data.mcp.lib\n\nvisible := lib.entitled\n\n"
	for name, rule := range map[string]string{
		"roles as data":           "allow if {\n\tsome role in data.roles[input.subject.id]\n\tsome grant in data.grants[role]\n\tgrant.tool == input.resource.id\n}",
		"groups by a set":         "groups := {g | some g in input.subject.properties.groups}\n\nallow if count(groups & {\"ops\", \"leads\"}) > 0",
		"scopes by containment":   "needed contains s if some s in input.resource.properties.scopes\n\nheld contains s if some s in input.subject.properties.scopes\n\nallow if count(needed - held) == 0",
		"arrays by index":         "allow if input.subject.properties.groups[0] == \"ops\"",
		"array.slice":             "allow if array.slice(input.subject.properties.groups, 0, 1) == [\"ops\"]",
		"array.concat":            "allow if {\n\tall := array.concat(input.subject.properties.groups, [\"x\"])\n\t\"ops\" in all\n}",
		"every scope":             "allow if {\n\tevery s in input.resource.properties.scopes {\n\t\ts in input.subject.properties.scopes\n\t}\n}",
		"sorted":                  "allow if sort(input.subject.properties.groups)[0] == \"a\"",
		"an object comprehension": "by_scope := {s: true | some s in input.subject.properties.scopes}\n\nallow if by_scope[\"files:read\"]",
		"object.get with default": "allow if object.get(data.limits, input.subject.id, 10) > input.context.history.calls_hour",
		"object.keys":             "allow if \"path\" in object.keys(input.resource.arguments)",
		"object.union":            "settings := object.union({\"max\": 1}, data.settings)\n\nallow if settings.max > 0",
		"object.filter":           "allow if object.filter(input.resource.arguments, [\"a\"]) == {\"a\": 1}",
		"object.remove":           "allow if object.remove(input.resource.arguments, [\"a\"]) == {}",
		"startswith":              "allow if startswith(input.resource.arguments.path, \"/srv/\")",
		"endswith an enum":        "allow if endswith(input.resource.properties.side_effect, \"e\")",
		"regex":                   "allow if regex.match(`^[a-z]+$`, input.resource.arguments.name)",
		"glob":                    "allow if glob.match(\"files/*\", [\"/\"], input.resource.id)",
		"glob over an enum":       "allow if glob.match(\"r*\", [], input.resource.properties.side_effect)",
		"split":                   "allow if split(input.resource.id, \"/\")[0] == \"files\"",
		"concat":                  "allow if concat(\"/\", [input.resource.properties.upstream, input.resource.properties.name]) == \"files/read\"",
		"sprintf":                 "allow if sprintf(\"%s:%s\", [input.subject.id, input.resource.id]) in data.pairs",
		"trim and lower":          "allow if lower(trim_space(input.resource.arguments.name)) == \"x\"",
		"lower of an enum":        "allow if lower(input.resource.properties.side_effect) == \"read\"",
		"replace":                 "allow if replace(input.resource.arguments.path, \"//\", \"/\") == \"/a\"",
		"to_number":               "allow if to_number(input.resource.arguments.amount) <= 100",
		"an amount":               "allow if input.resource.arguments.amount <= 100",
		"a currency":              "allow if {\n\tinput.resource.arguments.amount < data.limit[input.resource.arguments.currency]\n}",
		"hours":                   "allow if {\n\t[h, _, _] := time.clock(time.parse_rfc3339_ns(input.context.time))\n\th >= 8\n\th < 18\n}",
		"weekdays":                "allow if not time.weekday(time.parse_rfc3339_ns(input.context.time)) in {\"Saturday\", \"Sunday\"}",
		"a network":               "allow if net.cidr_contains(\"10.0.0.0/8\", input.resource.arguments.ip)",
		"semver":                  "allow if semver.compare(input.resource.arguments.version, \"1.0.0\") >= 0",
		"walk of arguments":       "deny contains \"secret\" if {\n\twalk(input.resource.arguments, [_, v])\n\tv == \"secret\"\n}\n\nallow if true",
		"numbers.range":           "allow if input.context.history.calls_minute in numbers.range(0, 5)",
		"min and max":             "allow if max([input.context.history.calls_hour, 1]) < 10",
		"an else ladder":          "limit := 10 if {\n\t\"gold\" in input.subject.properties.groups\n} else := 5 if {\n\t\"silver\" in input.subject.properties.groups\n} else := 1\n\nallow if input.context.history.calls_hour < limit",
		"a default":               "default quiet := false\n\nquiet if input.resource.properties.side_effect == \"read\"\n\nallow if quiet",
		"a table of functions":    "cost(\"read\") := 1\n\ncost(\"write\") := 5\n\ncost(\"destructive\") := 10\n\nallow if cost(input.resource.properties.side_effect) < 6",
		"nested data":             "allow if data.tenants[input.subject.properties.tenant].upstreams[input.resource.properties.upstream]",
		"an alias and an import":  "allow if {\n\tp := input.resource.properties\n\tp.side_effect == \"read\"\n\tp.owner == input.subject.properties.tenant\n}",
		"json.filter":             "allow if json.filter(input.resource.arguments, [\"a/b\"]) == {}",
		"json.patch":              "allow if json.patch(input.resource.arguments, [{\"op\": \"add\", \"path\": \"/x\", \"value\": 1}]).x == 1",
		"union of sets":           "all := union({{\"a\"}, {g | some g in input.subject.properties.groups}})\n\nallow if \"a\" in all",
		"keys of the arguments":   "allow if {\n\tsome k, v in input.resource.arguments\n\tk in {\"owner\", \"upstream\"}\n\tv == \"a\"\n}",
		"with in a rule":          "would if allow with input.subject.id as \"other\"\n\ndeny contains \"other\" if not would\n\nallow if input.subject.id == \"a\"",
		"a partial object":        "limits[g] := n if some g, n in data.limits\n\nallow if limits.ops > 1",
		"is_string":               "allow if is_string(input.resource.arguments.x)",
		"type_name":               "allow if type_name(input.resource.arguments.x) == \"string\"",
		"strings of a set":        "allow if input.subject.id in {\"a\", \"b\"}",
		"a sum":                   "allow if sum([input.context.history.calls_hour, input.context.history.refused_hour]) < 100",
		"base64 and units":        "allow if units.parse_bytes(input.resource.arguments.size) < 1000",
		"membership both ways":    "allow if {\n\tsome g in data.allowed\n\tg in input.subject.properties.groups\n}",
	} {
		t.Run(name, func(t *testing.T) {
			const data = `{"roles": {}, "grants": {}, "limits": {}, "limit": {}, "settings": {}, "pairs": [], "tenants": {}, "allowed": []}`
			if _, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, "p.rego", see+rule+"\n", "data.json", data)}); err != nil {
				t.Error(err)
			}
		})
	}
}
