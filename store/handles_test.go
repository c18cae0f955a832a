package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"mcp-gateway/auth/handle"
	"mcp-gateway/store"
)

func TestHandles(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	bind := func(at time.Time, bound ...handle.Bound) {
		t.Helper()
		if err := s.Bind(t.Context(), at, bound); err != nil {
			t.Fatal(err)
		}
	}
	held := func(keys ...string) []handle.Bound {
		t.Helper()
		found, err := s.Holders(t.Context(), keys)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	bind(now, handle.Bound{Key: "k", Holder: "ann", Until: now.Add(time.Hour)}, handle.Bound{Key: "k", Holder: "ben", Until: now.Add(time.Minute)})
	bind(now, handle.Bound{Key: "k", Holder: "ann", Until: now.Add(time.Second)}) // never shorter
	got := held("k", "none")
	if len(got) != 2 || got[0] != (handle.Bound{Key: "k", Holder: "ann", Until: now.Add(time.Hour)}) {
		t.Fatalf("%+v", got)
	}
	many := make([]string, 1201)
	for i := range many {
		many[i] = "x"
	}
	if got := held(append(many, "k")...); len(got) != 2 {
		t.Errorf("of many: %+v", got)
	}
	bind(now.Add(handle.Linger+2*time.Minute), handle.Bound{Key: "l", Holder: "ann", Until: now.Add(48 * time.Hour)})
	if got := held("k"); len(got) != 1 || got[0].Holder != "ann" {
		t.Errorf("what is long over is not swept: %+v", got)
	}
	if got := held(); got != nil {
		t.Errorf("of none: %+v", got)
	}
}
