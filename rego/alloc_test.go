//go:build !race

package rego_test

import "testing"

// Allocations repeat whatever the load of the machine, and hold the line that
// time cannot. The race detector empties pools at random, so not under it.
func TestAllocations(t *testing.T) {
	e, p, tools := shippedEngine(t), somePrincipal(20), someTools(301)[1:]
	args := []byte(`{"service":"payments","severity":"P3","window_minutes":5}`)
	for name, c := range map[string]struct {
		most float64
		run  func()
	}{
		"one decision":          {190, func() { e.Decide(t.Context(), p, tools[0], args, modern) }},
		"visible of one":        {110, func() { _, _ = e.Visible(t.Context(), p, tools[:1]) }},
		"visible of 300 in one": {3000, func() { _, _ = e.Visible(t.Context(), p, tools) }},
	} {
		if got := testing.AllocsPerRun(50, c.run); got > c.most {
			t.Errorf("%s allocates %.0f times, at most %.0f are allowed", name, got, c.most)
		}
	}
}
