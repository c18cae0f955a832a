package execute

import (
	"slices"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/consent"
	"mcp-gateway/proxy/effect"
	"mcp-gateway/proxy/reconcile"
	"mcp-gateway/rego"
)

// A read pays nothing for what is there for calls with side effects: in the stages that
// keep keys, ledger, approvals and receipts it allocates nothing and asks nobody. The
// book and the desks that it passes have no members, so that a use of one would panic.
func TestAReadPaysNothing(t *testing.T) {
	facts := gateway.ExposureFacts{SideEffect: gateway.Read, Scopes: []string{"use"}}
	d := newDesk(t, oneTool(), facts)
	d.Effects, d.Consents, d.Status = &effect.Book{}, &consent.Desk{}, &reconcile.Desk{}
	c := d.tool(t, "")
	if c.Permit = permit(t, c); !c.Permit.Valid() {
		t.Fatal("policy does not allow the call that is measured")
	}
	names := []string{"keyed", "repeat", "consent", "enter", "confirm"}
	var stages []call.Stage
	for _, s := range d.ToolsCall() {
		if slices.Contains(names, s.Name) {
			stages = append(stages, s)
		}
	}
	if len(stages) != len(names) {
		t.Fatalf("%d of the stages %q are there", len(stages), names)
	}
	allocations := testing.AllocsPerRun(100, func() {
		for _, s := range stages {
			if err := s.Run(t.Context(), c); err != nil {
				t.Fatal(s.Name, err)
			}
		}
		for _, s := range stages {
			if s.Settle == nil {
				continue
			}
			if err := s.Settle(t.Context(), c); err != nil {
				t.Fatal(s.Name, err)
			}
		}
	})
	if allocations != 0 || c.Effect != nil {
		t.Errorf("a read makes %g allocations for what it does not use, and has the effect %+v", allocations, c.Effect)
	}
}

// permit is that of the shipped policy for the call.
func permit(t *testing.T, c *call.Call) rego.Permit {
	t.Helper()
	engine, err := rego.Load(t.Context(), rego.Options{Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	c.Principal.Scopes = []string{"use"}
	item := c.Item.Item()
	resource := rego.NewResource(rego.Item{ID: item.ID, State: gateway.StateApproved, Facts: *item.Facts})
	c.Decision = engine.Decide(t.Context(), c.Principal, resource, []byte("{}"), rego.Context{Era: "modern"})
	allowed, _ := c.Decision.Permit()
	return allowed
}
