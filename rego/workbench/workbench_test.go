package workbench_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
	"mcp-gateway/rego/check"
	"mcp-gateway/rego/contract"
	"mcp-gateway/rego/policy"
	"mcp-gateway/rego/workbench"
)

// The shipped policy and its library are covered by the tests that ship with them.
func TestCoverageOfTheShippedPolicy(t *testing.T) {
	r, err := workbench.Test(t.Context(), policy.Files(), "policy", workbench.Options{Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if !o.Passed() {
			t.Errorf("%s %s: %s %s", o.Name, o.Case, o.Status, o.Detail)
		}
	}
	t.Logf("%d tests cover %.1f %% of the shipped policy", len(r.Outcomes), r.Coverage)
	if len(r.Outcomes) < 50 || r.Coverage < 95 {
		t.Errorf("%d tests cover %.1f %%, want 95; not reached: %v", len(r.Outcomes), r.Coverage, r.Uncovered)
	}
}

const simple = `package mcp.gateway

visible contains id if some id, _ in input.resources

allow if input.resource.properties.side_effect == "read"

# METADATA
# title: nobody writes
deny contains "writes" if input.resource.properties.side_effect == "write"

deny contains "urgent" if {
	input.subject.id == "bob"
	input.resource.arguments.severity == "P1"
}
`

func TestOutcomes(t *testing.T) {
	folder := fstest.MapFS{
		"p.rego": {Data: []byte(simple)},
		"p_test.rego": {Data: []byte(`package mcp.gateway_test

import data.mcp.gateway

test_simple_form_is_there if {
	gateway.decision.effect == "deny" with input as {"subject": {"id": "a"}, "resource": {"properties": {"side_effect": "write"}}}
}

test_wrong if gateway.decision.effect == "allow" with input as {"resource": {"properties": {"side_effect": "write"}}}

todo_test_later if false
`)},
	}
	r, err := workbench.Test(t.Context(), folder, "p", workbench.Options{Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range r.Outcomes {
		got[strings.TrimPrefix(o.Name, "data.mcp.gateway_test.")] = o.Status
	}
	if got["test_simple_form_is_there"] != "pass" || got["test_wrong"] != "fail" || got["todo_test_later"] != "skip" || len(got) != 3 {
		t.Errorf("%v", got)
	}
	if len(r.Uncovered) == 0 || r.Coverage > 95 {
		t.Errorf("%.1f %% covered, %v", r.Coverage, r.Uncovered)
	}
	if one, err := workbench.Test(t.Context(), folder, "p", workbench.Options{Run: "simple"}); err != nil || len(one.Outcomes) != 1 {
		t.Errorf("%v %v", one, err)
	}
	folder["p_test.rego"] = &fstest.MapFile{Data: []byte("package x\n\ntest_a if {")}
	var ps gateway.Problems
	if _, err := workbench.Test(t.Context(), folder, "p", workbench.Options{}); !errors.As(err, &ps) {
		t.Errorf("a test that does not parse: %v", err)
	}
}

func load(t *testing.T, text string) *check.Policy {
	t.Helper()
	p, err := check.Load(t.Context(), fstest.MapFS{"p.rego": {Data: []byte(text)}}, "p")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An input as an event names it: what an Engine gives.
func kept(t *testing.T, subject string, class gateway.SideEffect) []byte {
	t.Helper()
	e, err := rego.New(load(t, simple), rego.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return e.Decide(t.Context(), &gateway.Principal{Subject: subject}, rego.NewResource(rego.Item{
		ID: gateway.ItemID{Upstream: "up", Name: "t"}, State: gateway.StateApproved, Facts: gateway.ExposureFacts{SideEffect: class},
	}), []byte(`{"severity":"P1"}`), rego.Context{}).Input()
}

// What came to look at the arguments cannot be decided again; what did not, can,
// also by a policy that looks at them elsewhere.
func TestReplay(t *testing.T) {
	p := load(t, simple)
	for name, c := range map[string]struct {
		subject string
		class   gateway.SideEffect
		effect  gateway.Effect
		looked  string
	}{
		"not looked at":  {"alice", gateway.Read, gateway.Allow, ""},
		"another effect": {"alice", gateway.Write, gateway.Deny, ""},
		"looked at":      {"bob", gateway.Read, "", "input.resource.arguments"},
	} {
		got, err := workbench.Replay(t.Context(), p, kept(t, c.subject, c.class), nil, time.Unix(0, 0))
		if err != nil || got.Undecidable != c.looked || c.looked == "" && got.Effect != c.effect {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if named := got.By.Rule != "" && got.By.Pos.File == "p/p.rego" && got.By.Pos.Line > 0; named != (c.looked != "") {
			t.Errorf("%s: looked at by %+v", name, got.By)
		}
	}
	for arguments, want := range map[string]gateway.Effect{`{"severity":"P1"}`: gateway.Deny, `{"severity":"P4"}`: gateway.Allow} {
		got, err := workbench.Replay(t.Context(), p, kept(t, "bob", gateway.Read), []byte(arguments), time.Unix(0, 0))
		if err != nil || got.Undecidable != "" || got.Effect != want {
			t.Errorf("with the arguments %s: %+v %v", arguments, got, err)
		}
	}
	hours := load(t, "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if startswith(input.context.time, \"2026\")\n")
	for year, want := range map[int]gateway.Effect{2026: gateway.Allow, 2027: gateway.Deny} {
		got, err := workbench.Replay(t.Context(), hours, kept(t, "alice", gateway.Read), nil, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil || got.Effect != want {
			t.Errorf("%d: %+v %v", year, got, err)
		}
	}
}

func TestEvalTellsWhichRulesFired(t *testing.T) {
	a, err := workbench.Eval(t.Context(), load(t, simple), contract.PhaseDecision, kept(t, "alice", gateway.Write), true)
	if err != nil || string(a.Value) != `{"effect":"deny","reasons":["writes"]}` || a.Trace == "" {
		t.Fatalf("%s %v", a.Value, err)
	}
	titled := false
	for _, f := range a.Fired {
		titled = titled || f.Rule == "data.mcp.gateway.deny" && f.Title == "nobody writes" && f.Pos.Line == 9
	}
	if !titled {
		t.Errorf("%+v", a.Fired)
	}
	if _, err := workbench.Eval(t.Context(), load(t, simple), contract.PhaseResult, []byte(`{}`), false); err == nil {
		t.Error("a phase that nothing answers")
	}
}

func TestFormat(t *testing.T) {
	got, err := workbench.Format("a.rego", []byte("package a\nx if   true"))
	if err != nil || !bytes.Equal(got, []byte("package a\n\nx := true\n")) && !bytes.Equal(got, []byte("package a\n\nx if true\n")) {
		t.Errorf("%s %v", got, err)
	}
	var ps gateway.Problems
	if _, err := workbench.Format("a.rego", []byte("package")); !errors.As(err, &ps) {
		t.Error(err)
	}
}
