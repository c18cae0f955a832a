package rego_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// The shipped policy shows a tool to who holds any value of its scope's
// template, and lets the call go ahead only with the scope for this very value.
func Example() {
	ctx := context.Background()
	engine, err := rego.Load(ctx, rego.Options{Timeout: time.Second})
	if err != nil {
		log.Fatal(err)
	}
	ticket := rego.NewResource(rego.Item{
		ID:    gateway.ItemID{Upstream: "incident", Name: "create_incident_ticket"},
		State: gateway.StateApproved,
		Facts: gateway.ExposureFacts{SideEffect: gateway.Write, Scopes: []string{"incident:create:{severity}"}},
	})
	caller := &gateway.Principal{Issuer: "gateway", Subject: "ci", Scopes: []string{"incident:create:p3"}}

	seen, err := engine.Visible(ctx, caller, []*rego.Resource{ticket})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("visible:", seen[0])
	for _, arguments := range []string{`{"severity":"P1"}`, `{"severity":"P3"}`} {
		d := engine.Decide(ctx, caller, ticket, []byte(arguments), rego.Context{Era: "modern"})
		_, permitted := d.Permit()
		fmt.Println(arguments, d.Effect, d.Reasons, permitted)
	}
	// Output:
	// visible: true
	// {"severity":"P1"} deny [scope_missing] false
	// {"severity":"P3"} ask [irreversible_write outbound_write] false
}
