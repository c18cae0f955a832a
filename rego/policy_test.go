package rego_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/tester"
)

// policyFiles parses the shipped policy with its tests.
func policyFiles(t *testing.T) map[string]*ast.Module {
	t.Helper()
	names, err := filepath.Glob("policy/*.rego")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]*ast.Module{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		modules[name], err = ast.ParseModuleWithOpts(name, string(text), ast.ParserOptions{ProcessAnnotation: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	return modules
}

func TestShippedPolicyPassesItsOwnTests(t *testing.T) {
	modules := policyFiles(t)
	compiler := ast.NewCompiler().WithCapabilities(rego.Capabilities()).WithStrict(true)
	results, err := tester.NewRunner().SetCompiler(compiler).SetModules(modules).RaiseBuiltinErrors(true).
		RunTests(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for r := range results {
		ran++
		if !r.Pass() {
			t.Error(r)
		}
		if len(r.SubResults) > 0 {
			ran += len(r.SubResults) - 1
		}
	}
	if ran < 35 {
		t.Errorf("%d Rego tests ran, want at least 35: a case that is not run proves nothing", ran)
	}
}

func TestShippedPolicyIsFormatted(t *testing.T) {
	for name := range policyFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := format.SourceWithOpts(name, text, format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(text) {
			t.Errorf("%s is not as `opa fmt` would write it:\n%s", name, want)
		}
	}
}

// golden is one line of testdata/decisions.jsonl.
type golden struct {
	Name       string                `json:"name"`
	Holds      []string              `json:"holds"`
	State      gateway.ExposureState `json:"state"`
	SideEffect gateway.SideEffect    `json:"side_effect"`
	Reversible bool                  `json:"reversible"`
	Outbound   bool                  `json:"outbound"`
	Scopes     []string              `json:"scopes"`
	Arguments  json.RawMessage       `json:"arguments"`

	Visible bool             `json:"visible"`
	Effect  gateway.Effect   `json:"effect"`
	Reasons []gateway.Reason `json:"reasons"`
}

func goldens(t *testing.T) []golden {
	t.Helper()
	f, err := os.Open("testdata/decisions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []golden
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if len(all) < 200 {
		t.Fatalf("%d golden decisions, want at least 200", len(all))
	}
	return all
}

func (g golden) resource() *rego.Resource {
	return rego.NewResource(rego.Item{
		ID:         gateway.ItemID{Upstream: "incident", Name: "tool"},
		Exposed:    "incident__tool",
		Definition: "sha256-jcs1:00",
		State:      g.State,
		Facts: gateway.ExposureFacts{
			SideEffect: g.SideEffect, Reversible: g.Reversible, Contained: !g.Outbound, Scopes: g.Scopes,
		},
	})
}

func TestGoldenDecisions(t *testing.T) {
	e := shippedEngine(t)
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			p := &gateway.Principal{Issuer: "gateway", Subject: "alice", Scopes: g.Holds}
			seen, err := e.Visible(t.Context(), p, []*rego.Resource{g.resource()})
			if err != nil || seen[0] != g.Visible {
				t.Errorf("visible %v (%v), want %v", seen, err, g.Visible)
			}
			d := e.Decide(t.Context(), p, g.resource(), g.Arguments, modern)
			if d.Effect != g.Effect || !slices.Equal(d.Reasons, g.Reasons) || d.Err != nil {
				t.Errorf("decision %s %v (%v), want %s %v", d.Effect, d.Reasons, d.Err, g.Effect, g.Reasons)
			}
			if _, ok := d.Permit(); ok != (g.Effect == gateway.Allow) {
				t.Errorf("permit %v for %s", ok, g.Effect)
			}
		})
	}
}
