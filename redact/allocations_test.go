//go:build !race

package redact_test

import (
	"testing"

	"mcp-gateway/redact"
)

// A clean result costs two allocations at most, and that is the pool's. The race
// detector makes pools forget, so that there is nothing to count under it.
func TestCleanResultAllocations(t *testing.T) {
	r := redact.New(redact.Options{})
	raw := []byte(small)
	if n := testing.AllocsPerRun(200, func() { _, _ = r.Result(raw) }); n > 2 {
		t.Errorf("%v allocations for a clean result, want at most 2", n)
	}
}
