//go:build !race

package e2e

import "testing"

// TestUnseenAllocations holds that a call of a hidden tool takes as much memory, in as
// many pieces, as one of an absent tool, whatever its arguments. The race detector
// empties pools at random, so not under it; and what else runs in this process
// allocates as well, so that the least of several rounds is taken.
func TestUnseenAllocations(t *testing.T) {
	b, _ := unseen(t)
	for name, args := range unseenArguments() {
		hidden, absent := leastAllocs(b.handle(t, "up__hidden", args)), leastAllocs(b.handle(t, "up__absent", args))
		if hidden != absent {
			t.Errorf("%s: a hidden tool takes %.0f allocations, an absent one %.0f", name, hidden, absent)
		}
	}
}

func leastAllocs(run func()) float64 {
	least := testing.AllocsPerRun(20, run)
	for range 4 {
		least = min(least, testing.AllocsPerRun(20, run))
	}
	return least
}
