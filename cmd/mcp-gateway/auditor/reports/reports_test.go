package reports

import (
	"math"
	"slices"
	"testing"
	"time"

	"mcp-gateway/audit"
)

// Known values of the Wilson interval (R, prop.test without continuity correction).
func TestWilson(t *testing.T) {
	for name, c := range map[string]struct {
		n, size   uint64
		low, high float64
	}{
		"half":      {50, 100, 0.4038315, 0.5961685},
		"rare":      {1, 100, 0.0017674, 0.0544862},
		"none":      {0, 20, 0, 0.1611252},
		"all":       {20, 20, 0.8388748, 1},
		"one of 10": {1, 10, 0.0178763, 0.4041500},
		"no sample": {0, 0, 0, 1},
	} {
		low, high := Wilson(c.n, c.size)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("%s: %.7f to %.7f, want %.7f to %.7f", name, low, high, c.low, c.high)
		}
	}
}

func population(n int) []audit.Event {
	all := make([]audit.Event, n)
	for i := range all {
		all[i] = audit.Event{Type: audit.ToolDecided, Action: audit.NewID(time.Unix(int64(i), 0))}
	}
	return all
}

func draw(events []audit.Event, seed uint64, size int) []audit.ID {
	s := NewSample(seed, size)
	for i := range events {
		s.Add(&events[i])
	}
	var ids []audit.ID
	for _, d := range s.Drawn() {
		ids = append(ids, d.id)
	}
	return ids
}

// The same seed draws the same, in whatever order the record is read; another seed
// another sample; a smaller sample is the first part of a larger one.
func TestSample(t *testing.T) {
	events := population(1000)
	first := draw(events, 1, 50)
	slices.Reverse(events)
	if again := draw(events, 1, 50); !slices.Equal(first, again) {
		t.Error("the order of reading counts")
	}
	if smaller := draw(events, 1, 10); !slices.Equal(first[:10], smaller) {
		t.Error("a smaller sample is another one")
	}
	if other := draw(events, 2, 50); slices.Equal(first, other) {
		t.Error("the seed does not count")
	}
	if all := draw(events, 1, 2000); len(all) != 1000 {
		t.Errorf("%d of 1000", len(all))
	}
	if none := draw(events, 1, 0); none != nil {
		t.Errorf("drew %d of none", len(none))
	}
}

// Each event is drawn about as often as another: over 400 seeds none is far from its
// expected 40 times (the standard deviation is 6).
func TestSampleIsFair(t *testing.T) {
	events := population(100)
	times := map[audit.ID]int{}
	for seed := range uint64(400) {
		for _, id := range draw(events, seed, 10) {
			times[id]++
		}
	}
	for _, e := range events {
		if n := times[e.Action]; n < 10 || n > 70 {
			t.Errorf("one was drawn %d times", n)
		}
	}
}
