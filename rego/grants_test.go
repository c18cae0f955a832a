package rego_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// grantsEngine is a policy of 300 rules, one a tool, over so many grants in data.
func grantsEngine(tb testing.TB, grants int, uncached bool) *rego.Engine {
	tb.Helper()
	var rules, data strings.Builder
	rules.WriteString("package mcp.gateway\n\nvisible contains id if {\n\tsome id in data.grants[input.subject.id].tools\n\tinput.resources[id]\n}\n")
	for i := range 300 {
		fmt.Fprintf(&rules, "\nallow if {\n\tinput.resource.id == \"up%d/tool_%d\"\n\tdata.grants[input.subject.id].%s == true\n}\n", i%7, i, fmt.Sprintf("class_%d", i%4))
	}
	data.WriteString(`{"grants": {`)
	for i := range grants {
		if i > 0 {
			data.WriteString(",")
		}
		fmt.Fprintf(&data, `"u%d": {"class_0": true, "class_1": true, "class_2": true, "class_3": true, "tools": [`, i)
		for j := range 150 {
			if i > 0 && j > 2 || j > 149 {
				break
			}
			if j > 0 {
				data.WriteString(",")
			}
			fmt.Fprintf(&data, `"up%d/tool_%d"`, (2*j)%7, 2*j)
		}
		data.WriteString("]}")
	}
	data.WriteString("}}")
	t, ok := tb.(interface{ TempDir() string })
	if !ok {
		tb.Fatal("no place for files")
	}
	e, err := rego.Load(tb.Context(), rego.Options{Dir: write(tb, t.TempDir(), rules.String(), data.String()), Timeout: time.Minute, Uncached: uncached})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// BenchmarkGrants: what one decision costs does not grow with the grants.
func BenchmarkGrants(b *testing.B) {
	tools := someTools(300)
	p := &gateway.Principal{Subject: "u0"}
	for _, n := range []int{10, 100, 1000, 10000} {
		e := grantsEngine(b, n, true)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if d := e.Decide(b.Context(), p, tools[i%300], nil, modern); d.Effect != gateway.Allow {
					b.Fatal(d)
				}
			}
		})
	}
}

// BenchmarkList: one evaluation for a list, beside 300 for its tools one by one.
func BenchmarkList(b *testing.B) {
	tools := someTools(300)
	p := &gateway.Principal{Subject: "u0"}
	e := grantsEngine(b, 1000, true)
	b.Run("one for all", func(b *testing.B) {
		for b.Loop() {
			if _, err := e.Visible(b.Context(), p, tools); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for _, tool := range tools {
				e.Decide(b.Context(), p, tool, nil, modern)
			}
		}
	})
}

// BenchmarkKept: a decision that was made before.
func BenchmarkKept(b *testing.B) {
	e, p, tool := shippedEngine(b), somePrincipal(20), someTools(2)[1]
	args := []byte(`{"service":"payments","severity":"P3","window_minutes":5}`)
	b.ReportAllocs()
	for b.Loop() {
		if d := e.Decide(b.Context(), p, tool, args, modern); d.Effect != gateway.Allow {
			b.Fatal(d)
		}
	}
}
