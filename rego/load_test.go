package rego_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"

	"github.com/open-policy-agent/opa/v1/ast"
)

// folder writes files, given as name, text, name, text …, and returns their folder.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open is the least that a policy must have.
const open = `package mcp.gateway

visible contains id if some id, _ in input.resources

decision := {"effect": "allow", "reasons": []}
`

// problemsOf loads one file and returns what is wrong with it.
// problem is one of them.
type problem = gateway.Problem

func problemsOf(t *testing.T, files ...string) gateway.Problems {
	t.Helper()
	_, err := rego.Load(context.Background(), rego.Options{Dir: folder(t, files...)})
	var ps gateway.Problems
	if !errors.As(err, &ps) {
		t.Fatalf("Load gave %v, want Problems", err)
	}
	return ps
}

// A mistyped field must fail at load, wherever it stands and however it is
// reached, at its own place and with what it could have been. The policies have
// no schema annotation: it is the gateway that attaches the schemas.
func TestMistypedFieldsFailAtLoad(t *testing.T) {
	for name, c := range map[string]struct {
		rule string // after the entry points, from line 7
		line int
		says []string
	}{
		"in decision's own input": {
			`x if input.resource.propertis.state == "approved"`, 7, []string{"input.resource.propertis", "want (one of)", `"properties"`}},
		"at the top": {
			`x if input.subjct.id == "a"`, 7, []string{"input.subjct", `"subject"`}},
		"deep": {
			`x if input.subject.properties.scope == "a"`, 7, []string{"input.subject.properties.scope", `"scopes"`}},
		"in a function that nothing calls": {
			"f(a) if {\n\ta == input.context.tme\n}", 8, []string{"input.context.tme", `"time"`}},
		"in a comprehension": {
			"x := {s | some s in input.subject.properties.scops}", 7, []string{"input.subject.properties.scops"}},
		"under every resource": {
			"x contains id if {\n\tsome id, facts in input.resources\n\tfacts.sate == \"approved\"\n}", 9, []string{"sate", `"state"`}},
		"under a resource by key": {
			"x contains id if {\n\tsome id, _ in input.resources\n\tinput.resources[id].ownr == \"a\"\n}", 9, []string{"ownr", `"owner"`}},
		"in a negation, where it would permit": {
			"x if {\n\tnot input.resource.properties.outbond\n}", 8, []string{"outbond", `"outbound"`}},
		"a finding's field": {
			"x if {\n\tsome f in input.resource.properties.findings\n\tf.cod == \"a\"\n}", 9, []string{"cod", `"code"`}},
		"a wrong type": {
			`x if input.resource.properties.outbound == "no"`, 7, []string{"boolean", "string"}},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", open+"\n"+c.rule+"\n")
			i := slices.IndexFunc(ps, func(p gateway.Problem) bool { return p.Pos.Line == c.line })
			if i < 0 {
				t.Fatalf("no problem on line %d:\n%v", c.line, ps)
			}
			p := ps[i]
			if p.Code != ast.TypeErr || p.Pos.Col == 0 || filepath.Base(p.Pos.File) != "p.rego" || !strings.Contains(p.Excerpt, "^") {
				t.Errorf("problem %+v", p)
			}
			for _, s := range c.says {
				if !strings.Contains(p.Message, s) {
					t.Errorf("message %q does not say %q", p.Message, s)
				}
			}
		})
	}
}

// What is right in one phase and absent in the other is told apart, also through
// helpers in other packages.
func TestFieldsOfTheOtherPhaseFailAtLoad(t *testing.T) {
	const lib = "package mcp.helpers\n\nseverity := input.resource.arguments.severity\n\nitems := input.resources\n"
	for name, policy := range map[string]string{
		"visible reads arguments": `package mcp.gateway
visible contains id if {
	some id, _ in input.resources
	data.mcp.helpers.severity == "P1"
}
decision := {"effect": "allow", "reasons": []}
`,
		"decision reads all resources": `package mcp.gateway
visible contains id if some id, _ in input.resources
decision := {"effect": "allow", "reasons": []} if count(data.mcp.helpers.items) > 0
`,
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", policy, "lib.rego", lib)
			if len(ps) != 1 || ps[0].Code != ast.TypeErr || filepath.Base(ps[0].Pos.File) != "lib.rego" {
				t.Errorf("problems %v", ps)
			}
		})
	}
	// Used where they belong, the same helpers are right.
	dir := folder(t, "lib.rego", lib, "p.rego", `package mcp.gateway
visible contains id if some id, _ in data.mcp.helpers.items
decision := {"effect": "allow", "reasons": []} if data.mcp.helpers.severity == "P3"
`)
	if _, err := rego.Load(t.Context(), rego.Options{Dir: dir}); err != nil {
		t.Error(err)
	}
}

func TestWithheldBuiltinsFailAtLoad(t *testing.T) {
	for name, body := range map[string]string{
		"http.send":            `http.send({"method": "get", "url": "http://127.0.0.1"}).status_code == 200`,
		"net.lookup_ip_addr":   `count(net.lookup_ip_addr("localhost")) > 0`,
		"opa.runtime":          `opa.runtime().env.HOME == "/"`,
		"rego.parse_module":    `rego.parse_module("a", "package a")`,
		"trace":                `trace("a")`,
		"time.now_ns":          `time.now_ns() > 0`,
		"rand.intn":            `rand.intn("a", 2) == 1`,
		"uuid.rfc4122":         `uuid.rfc4122("a") == "b"`,
		"io.jwt.decode_verify": `io.jwt.decode_verify("a", {})[0]`,
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, "p.rego", open+"\nx if "+body+"\n")
			if len(ps) == 0 || ps[0].Code != ast.TypeErr || ps[0].Pos.Line != 7 || !strings.Contains(ps[0].Message, name) {
				t.Errorf("problems %v", ps)
			}
		})
	}
}

func TestSchemasAreNotFetched(t *testing.T) {
	ps := problemsOf(t, "p.rego", open+`
# METADATA
# schemas:
#   - data.remote: {"$ref": "http://127.0.0.1:1/schema.json"}
x if data.remote.a
`, "data.json", `{"remote": {"a": true}}`)
	if len(ps) == 0 || ps[0].Code != ast.TypeErr {
		t.Errorf("problems %v", ps)
	}
}

func TestPoliciesThatDoNotLoad(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		codes []string
	}{
		"nothing there":               {nil, []string{"policy_empty"}},
		"tests alone":                 {[]string{"p_test.rego", open}, []string{"policy_empty"}},
		"no entry points":             {[]string{"p.rego", "package other\n\nx := 1\n"}, []string{"policy_entry_missing", "policy_entry_missing"}},
		"no visible":                  {[]string{"p.rego", "package mcp.gateway\n\nallow if input.subject.id == \"a\"\n"}, []string{"policy_entry_missing"}},
		"no decision":                 {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n"}, []string{"policy_entry_missing"}},
		"visible an object":           {[]string{"p.rego", "package mcp.gateway\n\nvisible[id] if some id, _ in input.resources\n\ndecision := {\"effect\": \"allow\", \"reasons\": []}\n"}, []string{"policy_entry_shape"}},
		"decision a boolean":          {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\ndecision := true\n"}, []string{"policy_entry_shape"}},
		"two files that do not parse": {[]string{"a.rego", "package mcp.gateway\n\nx if {\n", "b.rego", "package x\n\ny if }\n"}, []string{ast.ParseErr, ast.ParseErr}},
		"Rego of old":                 {[]string{"a.rego", "package mcp.gateway\n\nvisible[id] { input.resources[id] }\n"}, []string{ast.ParseErr, ast.ParseErr}},
		"an unsafe variable":          {[]string{"a.rego", open + "\nx if y == 1\n"}, []string{ast.UnsafeVarErr}},
		"recursion":                   {[]string{"a.rego", open + "\nx if y\n\ny if x\n"}, []string{ast.RecursionErr, ast.RecursionErr}},
		"an unused import":            {[]string{"a.rego", strings.Replace(open, "\n\n", "\n\nimport data.a\n\n", 1)}, []string{ast.CompileErr}},
		"broken data":                 {[]string{"a.rego", open, "data.json", "{"}, []string{"policy_data_error"}},
		"data no object":              {[]string{"a.rego", open, "data.json", "[]"}, []string{"policy_data_error"}},
		"data with a name twice":      {[]string{"a.rego", open, "data.json", `{"a": 1, "a": 2}`}, []string{"policy_data_error"}},
		"data elsewhere":              {[]string{"a.rego", open, "more/data.json", "{}"}, []string{"policy_data_error"}},
		"data in YAML":                {[]string{"a.rego", open, "data.yaml", "a: 1"}, []string{"policy_data_error"}},
		"data over a rule":            {[]string{"a.rego", open, "data.json", `{"mcp": {"gateway": {"visible": {"a": 1}}}}`}, []string{ast.CompileErr}},
		"deny as a boolean":           {[]string{"a.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\ndeny if input.subject.id == \"a\"\n"}, []string{"policy_entry_shape"}},
		"allow as a word":             {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow := \"yes\"\n"}, []string{"policy_entry_shape"}},
		"a reason that is no code":    {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\ndeny contains \"Because I say so\" if true\n"}, []string{"policy_reason"}},
		"the gateway's own reason":    {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\ndeny contains \"policy_timeout\" if true\n"}, []string{"policy_reason"}},
		"a reason from anywhere":      {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\ndeny contains r if some r in data.blocked\n"}, []string{"policy_reason"}},
		"a mode that is none":         {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\n# METADATA\n# custom: {mode: dryrun}\ndeny contains \"a\" if true\n"}, []string{"policy_mode"}},
		"a mode for no rule":          {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\n# METADATA\n# custom: {mode: warn}\ndeny contains \"a_rule\" if true\n", "data.json", `{"mcp": {"modes": {"a_rul": "enforce", "*": "enforce"}}}`}, []string{"policy_mode"}},
		"a mode for a decision":       {[]string{"p.rego", open + "\ndeny contains \"a\" if true\n", "data.json", `{"mcp": {"modes": {"a": "warn"}}}`}, []string{"policy_mode"}},
		"obligations as an object":    {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\nobligations := {}\n"}, []string{"policy_entry_shape"}},
		"allow as a set":              {[]string{"p.rego", "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow contains \"a\" if true\n"}, []string{"policy_entry_shape"}},
	} {
		t.Run(name, func(t *testing.T) {
			ps := problemsOf(t, c.files...)
			var codes []string
			for _, p := range ps {
				codes = append(codes, p.Code)
			}
			if !slices.Equal(codes, c.codes) {
				t.Errorf("codes %v, want %v:\n%v", codes, c.codes, ps)
			}
		})
	}
	if _, err := rego.Load(t.Context(), rego.Options{Dir: filepath.Join(t.TempDir(), "absent")}); err == nil {
		t.Error("an absent folder loads")
	}
}

func TestRevisionNamesTheServingFiles(t *testing.T) {
	revision := func(files ...string) string {
		e, err := rego.Load(t.Context(), rego.Options{Dir: folder(t, files...)})
		if err != nil {
			t.Fatal(err)
		}
		return e.Revision()
	}
	base := revision("a.rego", open)
	if len(base) != len("sha256:")+64 || !strings.HasPrefix(base, "sha256:") {
		t.Errorf("revision %q", base)
	}
	for name, c := range map[string]struct {
		same  bool
		files []string
	}{
		"again":              {true, []string{"a.rego", open}},
		"with a test":        {true, []string{"a.rego", open, "a_test.rego", "package x"}},
		"with a hidden file": {true, []string{"a.rego", open, ".git/x.rego", "not Rego"}},
		"with a note":        {true, []string{"a.rego", open, "README.md", "x"}},
		"under another name": {false, []string{"b.rego", open}},
		"with a comment":     {false, []string{"a.rego", open + "# x\n"}},
		"with another file":  {false, []string{"a.rego", open, "b.rego", "package b\n"}},
		"with data":          {false, []string{"a.rego", open, "data.json", `{"a": 1}`}},
	} {
		if got := revision(c.files...); (got == base) != c.same {
			t.Errorf("%s: same revision %v, want %v", name, got == base, c.same)
		}
	}
}

// A mounted ConfigMap shows its files as links into a dotted folder.
func TestLoadFollowsLinkedFiles(t *testing.T) {
	dir := folder(t, "..data/a.rego", open)
	if err := os.Symlink(filepath.Join("..data", "a.rego"), filepath.Join(dir, "a.rego")); err != nil {
		t.Fatal(err)
	}
	if _, err := rego.Load(t.Context(), rego.Options{Dir: dir}); err != nil {
		t.Error(err)
	}
}

// The embedded folder and the folder on disk are the same policy.
func TestShippedPolicyLoadsFromItsFolder(t *testing.T) {
	e, err := rego.Load(t.Context(), rego.Options{Dir: "policy"})
	if err != nil {
		t.Fatal(err)
	}
	if e.Revision() != shippedEngine(t).Revision() {
		t.Error("two revisions of one policy")
	}
}

func TestInputSchemaIsDraft07(t *testing.T) {
	for _, phase := range []rego.Phase{rego.PhaseVisible, rego.PhaseDecision, rego.PhaseResult} {
		var s map[string]any
		if err := json.Unmarshal(rego.InputSchema(phase), &s); err != nil {
			t.Fatal(err)
		}
		if s["$schema"] != "http://json-schema.org/draft-07/schema#" {
			t.Errorf("%s: %v", phase, s["$schema"])
		}
	}
	if rego.InputSchema("subject") != nil {
		t.Error("a schema for a phase that is not there")
	}
}

// write puts a policy and its data into a folder.
func write(tb testing.TB, dir, rules, data string) string {
	tb.Helper()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "p.rego"), []byte(rules), 0o600), os.WriteFile(filepath.Join(dir, "data.json"), []byte(data), 0o600)); err != nil {
		tb.Fatal(err)
	}
	return dir
}
