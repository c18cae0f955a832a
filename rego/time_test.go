package rego_test

import (
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// TestWaitingIsNotWorking evaluates under clocks that jump, as they do for a
// goroutine that waited for a processor.
func TestWaitingIsNotWorking(t *testing.T) {
	const timeout = time.Minute
	for name, c := range map[string]struct {
		jump  func(look int) time.Duration
		lasts bool
	}{
		"never":                 {func(int) time.Duration { return time.Millisecond }, true},
		"once, long":            {func(look int) time.Duration { return map[bool]time.Duration{true: 15 * timeout}[look == 3] }, true},
		"once, beyond patience": {func(look int) time.Duration { return map[bool]time.Duration{true: 21 * timeout}[look == 3] }, false},
		"at each look":          {func(int) time.Duration { return timeout }, false},
	} {
		t.Run(name, func(t *testing.T) {
			var now time.Time
			looks := 0
			e, err := rego.Load(t.Context(), rego.Options{Timeout: timeout, Uncached: true, Now: func() time.Time {
				looks++
				now = now.Add(c.jump(looks))
				return now
			}})
			if err != nil {
				t.Fatal(err)
			}
			looks = 0
			var tools []*rego.Resource
			for i := range 60 {
				tools = append(tools, readTool(fmt.Sprintf("t%03d", i)))
			}
			if _, err := e.Visible(t.Context(), alice, tools); (err == nil) != c.lasts || err != nil && !refusedFor(err, gateway.ReasonPolicyTimeout) {
				t.Errorf("%v after %d looks", err, looks)
			}
			if c.lasts && looks < 12 {
				t.Errorf("%d looks at the clock only", looks)
			}
		})
	}
}

// TestLongListsHaveTheirTime evaluates under a clock that moves with each look
// at it, so that time is the number of steps: a list of n hundred tools may take
// as many timeouts, and no more.
func TestLongListsHaveTheirTime(t *testing.T) {
	var tools []*rego.Resource
	for i := range 450 {
		tools = append(tools, readTool(fmt.Sprintf("t%03d", i)))
	}
	looks := 0
	visible := func(timeout time.Duration) error {
		var now time.Time
		looks = 0
		e, err := rego.Load(t.Context(), rego.Options{Timeout: timeout, Now: func() time.Time {
			looks++
			now = now.Add(time.Second)
			return now
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Visible(t.Context(), alice, tools)
		return err
	}
	if err := visible(time.Hour); err != nil || looks < 100 {
		t.Fatalf("%v after %d looks at the clock", err, looks)
	}
	whole := time.Duration(looks) * time.Second
	if err := visible(whole / 4); err != nil {
		t.Errorf("refused within five timeouts: %v", err)
	}
	if err := visible(whole / 6); !refusedFor(err, gateway.ReasonPolicyTimeout) {
		t.Errorf("let run beyond five timeouts: %v", err)
	}
}
