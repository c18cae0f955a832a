package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/store"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	s, err := store.Open(ctx, filepath.Join(dir, store.Name))
	if err != nil {
		panic(err)
	}
	defer s.Close()

	log := registry.Seen{
		ID: gateway.ItemID{Upstream: "git", Name: "log"}, Digest: "sha256-jcs1:…",
		Raw: []byte(`{"name":"log"}`), State: gateway.StateNew, Reasons: []gateway.Reason{gateway.ReasonUnreviewed},
	}
	nine := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)
	for hour := range 3 {
		if err := s.Observe(ctx, nine.Add(time.Duration(hour)*time.Hour), []registry.Seen{log}); err != nil {
			panic(err)
		}
	}
	all, err := s.Definitions(ctx, "git")
	for _, d := range all {
		fmt.Println(d.ID, d.State, d.First.Format(time.TimeOnly), d.Last.Format(time.TimeOnly), err)
	}
	// Output: git/log new 09:00:00 11:00:00 <nil>
}
