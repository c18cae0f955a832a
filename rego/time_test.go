package rego_test

import (
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

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
