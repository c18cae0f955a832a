package store

import (
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/registry"
)

// A profile is kept as it was noted, by itself and across openings, and a later one
// stays whoever writes an earlier one.
func TestProfiles(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	at := time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)
	late := registry.Profile{Identity: "sha256-jcs1:a", Instructions: "b", Capabilities: "c", Era: "legacy", Revision: "2025-11-25", Refused: "downgrade", At: at}
	early := registry.Profile{Era: "modern", At: at.Add(-time.Second)}
	for _, p := range []registry.Profile{late, early} {
		if err := s.SetProfile(t.Context(), "git", p); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok, err := s.Profile(t.Context(), "git"); err != nil || !ok || got != late {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if got, ok, err := s.Profile(t.Context(), "none"); err != nil || ok {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
}
