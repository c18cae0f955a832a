package rego_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

func someTools(n int) []*rego.Resource {
	out := make([]*rego.Resource, n)
	for i := range out {
		scopes := []string{fmt.Sprintf("service%d:read", i%40)}
		if i%10 == 0 {
			scopes = []string{fmt.Sprintf("service%d:create:{severity}", i%40)}
		}
		out[i] = rego.NewResource(rego.Item{
			ID:         gateway.ItemID{Upstream: fmt.Sprintf("up%d", i%7), Name: fmt.Sprintf("tool_%d", i)},
			Exposed:    fmt.Sprintf("up%d__tool_%d", i%7, i),
			Definition: "sha256-jcs1:00",
			State:      gateway.StateApproved,
			Facts:      gateway.ExposureFacts{SideEffect: gateway.Read, Scopes: scopes, Owner: "payments-oncall"},
		})
	}
	return out
}

func somePrincipal(services int) *gateway.Principal {
	p := &gateway.Principal{Issuer: "gateway", Subject: "ci", Tenant: "platform", Client: "ci", Method: gateway.AuthAPIKey}
	for i := range services {
		p.Scopes = append(p.Scopes, fmt.Sprintf("service%d:read", i), fmt.Sprintf("service%d:create:p3", i))
	}
	return p
}

var now = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

func shippedEngine(tb testing.TB) *rego.Engine {
	e, err := rego.Load(context.Background(), rego.Options{Timeout: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

var modern = rego.Context{Era: "modern", Revision: "2026-07-28", Transport: "http", Time: now}

func BenchmarkDecide(b *testing.B) {
	e, p := shippedEngine(b), somePrincipal(20)
	tools := someTools(20)
	for name, r := range map[string]*rego.Resource{"plain": tools[1], "template": tools[0]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := e.Decide(context.Background(), p, r, []byte(`{"service":"payments","severity":"P3","window_minutes":5}`), modern)
				if d.Effect != gateway.Allow {
					b.Fatal(d.Effect, d.Reasons, d.Err)
				}
			}
		})
	}
}

func BenchmarkVisible(b *testing.B) {
	e, p := shippedEngine(b), somePrincipal(20)
	for _, n := range []int{1, 300} {
		tools := someTools(n + 1)[1:]
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				seen, err := e.Visible(context.Background(), p, tools)
				if err != nil {
					b.Fatal(err)
				}
				if !seen[0] {
					b.Fatal("hidden")
				}
			}
		})
	}
}
