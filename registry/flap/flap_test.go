package flap_test

import (
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/flap"
)

func TestDisagree(t *testing.T) {
	id := gateway.ItemID{Upstream: "up", Name: "t"}
	start := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		listed string // one letter a minute
		want   bool
	}{
		"the same all along":                {"aaaaaa", false},
		"a change":                          {"aaabbb", false},
		"a change and a return":             {"aaabba", false},
		"changes that never return":         {"abcdefgh", false},
		"two replicas":                      {"abab", true},
		"two replicas, unevenly":            {"aabaaab", true},
		"two replicas, one of them changed": {"abcaca", true},
	} {
		var m flap.Memory
		at := start
		for _, d := range tt.listed {
			m.Listed(id, gateway.Digest(string(d)), at)
			at = at.Add(time.Minute)
		}
		if got := m.Disagree(id, at); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
		if m.Disagree(id, at.Add(2*time.Hour)) {
			t.Errorf("%s: still so two hours later", name)
		}
	}
	var m flap.Memory
	for i, d := range "abab" {
		m.Listed(id, gateway.Digest(string(d)), start.Add(time.Duration(i)))
	}
	m.Forget("up")
	if m.Disagree(id, start) {
		t.Error("what was forgotten disagrees")
	}
}
