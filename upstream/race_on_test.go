//go:build race

package upstream_test

// raced is whether the race detector is on, under which allocations are other.
const raced = true
