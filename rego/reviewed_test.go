package rego

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

// What few records say is in policy's input where it was said, and absent elsewhere; a
// mistyped name of it does not load.
func TestReviewedFacts(t *testing.T) {
	policy := func(rule string) (*Engine, error) {
		dir := t.TempDir()
		text := "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\ndefault decision := {\"effect\": \"allow\", \"reasons\": []}\n\n" +
			"decision := {\"effect\": \"deny\", \"reasons\": [\"met\"]} if {\n\t" + rule + "\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(t.Context(), Options{Dir: dir, Timeout: 10 * time.Second})
	}
	sunset := &gateway.Deprecation{Sunset: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)}
	full := gateway.ExposureFacts{SideEffect: gateway.Read, Tenants: []string{"b", "a"}, Contract: "2.1", Deprecated: sunset}
	for rule, met := range map[string]bool{
		`input.resource.properties.contract == "2.1"`:                      true,
		`input.resource.properties.contract == "2.0"`:                      false,
		`input.resource.properties.tenants == ["a", "b"]`:                  true,
		`input.resource.properties.deprecated.sunset == "2027-03-01"`:      true,
		`input.resource.properties.deprecated.passed`:                      false,
		`not input.resource.properties.deprecated.passed`:                  true,
		`input.resource.properties.deprecated.sunset < input.context.time`: true,
	} {
		e, err := policy(rule)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		for facts, want := range map[*gateway.ExposureFacts]bool{&full: met, {SideEffect: gateway.Read}: rule[:3] == "not"} {
			r := NewResource(Item{ID: gateway.ItemID{Upstream: "up", Name: "t"}, State: gateway.StateApproved, Facts: *facts})
			d := e.Decide(t.Context(), &gateway.Principal{Subject: "s"}, r, []byte(`{}`), Context{Era: "modern", Revision: "2026-07-28", Transport: "http", Time: sunset.Sunset.Add(time.Hour)})
			if got := d.Effect == gateway.Deny; got != want {
				t.Errorf("%s with %+v: %s %v, want it met: %v", rule, facts, d.Effect, d.Reasons, want)
			}
		}
	}
	for _, rule := range []string{`input.resource.properties.tenant == ["a"]`, `input.resource.properties.deprecated.sunst == "x"`, `input.resource.properties.contracts == "2"`} {
		if _, err := policy(rule); err == nil {
			t.Errorf("%s is loaded", rule)
		}
	}
}
