package main

import (
	"testing"

	"mcp-gateway/test/conformance/checks"
)

func TestListsOfThisRepository(t *testing.T) {
	required, err := checks.LoadRequired("required.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for set, scored := range map[string]int{"2026-07-28": 37, "2025-11-25": 30, "2025-06-18": 27, clientSet: len(clientScenarios())} {
		n := 0
		for _, d := range required[set] {
			if d.Scored {
				n++
			}
		}
		if n != scored {
			t.Errorf("%s: %d scored scenarios, the frozen set has %d", set, n, scored)
		}
	}
	expected, err := checks.LoadExpected("expected.yaml", columnNames())
	if err != nil {
		t.Fatal(err)
	}
	for name := range expected {
		t.Log(name, "excuses", len(expected[name]), "groups")
	}
}

// The control itself must be able to fail.
func TestControl(t *testing.T) {
	required := map[string]*checks.Duty{"a": {Checks: []string{"x"}}}
	direct := checks.Report{"a": {"x": {Success: 1}}}
	for name, tc := range map[string]struct {
		dead checks.Report
		want bool
	}{
		"nothing holds":         {checks.Report{"a": {"x": {Failure: 1}, "wire": {Success: 1}}}, true},
		"a required check does": {checks.Report{"a": {"x": {Success: 1}}}, false},
	} {
		if got := control("set", checks.Judge(tc.dead, direct, required, nil)); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
