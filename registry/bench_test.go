package registry

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/listed"
)

// realistic returns 300 definitions, real ones where they are at hand.
func realistic(tb testing.TB) [][]byte {
	const want = 300
	lists := corpus(tb)
	used := map[string]bool{}
	var all [][]byte
	for _, server := range slices.Sorted(maps.Keys(lists)) {
		for _, raw := range lists[server] {
			a := listed.Examine(gateway.ItemID{Upstream: "up"}, raw, time.Time{})
			d, reason := a.Def, a.Reason
			if reason == "" && !used[d.Name] && len(all) < want {
				used[d.Name], all = true, append(all, raw)
			}
		}
	}
	for i := len(all); i < want; i++ {
		all = append(all, fmt.Appendf(nil, `{"name":"tool_%d","description":"Does what tool %d does.","inputSchema":{"type":"object",
			"properties":{"id":{"type":"string","pattern":"^[a-z]+$"},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["id"]}}`, i, i))
	}
	return all
}

// The first list of an upstream: every definition is checked, digested, compiled.
func BenchmarkPublishFull300(b *testing.B) {
	list, x := realistic(b), reviewed("up", realistic(b)...)
	b.ReportAllocs()
	for b.Loop() {
		r := New(Options{})
		r.SetExposure(x)
		publish(b, r, "up", list...)
	}
}

// The same list again, as nearly every refresh brings it.
func BenchmarkPublishUnchanged300(b *testing.B) {
	list := realistic(b)
	r := New(Options{})
	r.SetExposure(reviewed("up", list...))
	publish(b, r, "up", list...)
	b.ReportAllocs()
	for b.Loop() {
		publish(b, r, "up", list...)
	}
}

// One definition of 300 drifts and returns.
func BenchmarkPublishOneOf300Changed(b *testing.B) {
	list := realistic(b)
	r := New(Options{})
	r.SetExposure(reviewed("up", list...))
	publish(b, r, "up", list...)
	good, bad := list[150], tool("drifted", "x")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if list[150] = good; i%2 == 0 {
			list[150] = bad
		}
		publish(b, r, "up", list...)
	}
}

func BenchmarkResolve(b *testing.B) {
	list := realistic(b)
	r := New(Options{})
	r.SetExposure(reviewed("up", list[1:]...)) // the first is unreviewed
	publish(b, r, "up", list...)
	served := r.Snapshot().Items(gateway.KindTool, "")[100].Exposed
	var held string
	for _, o := range r.Observations() {
		if o.State == "new" {
			held = o.Exposed
		}
	}
	for name, exposed := range map[string]string{"served": served, "held": held, "absent": "up__no_such_tool_here"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Snapshot().Resolve(gateway.KindTool, "", exposed)
			}
		})
	}
}
