package inventory_test

import (
	"fmt"
	"slices"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/inventory"
)

func tool(upstream, name, schema string, calls int, f gateway.ExposureFacts) inventory.Tool {
	return inventory.Tool{ID: gateway.ItemID{Upstream: upstream, Name: name}, Facts: &f, InputSchema: []byte(schema), Calls: calls}
}

func TestRemove(t *testing.T) {
	why := gateway.ExposureFacts{Why: "needed"}
	const schema = `{"properties":{"q":{"type":"string"},"n":{"type":"integer"}}}`
	all := []inventory.Tool{
		tool("a", "search", `{}`, 3, why),
		tool("b", "Search", `{}`, 3, why),
		tool("a", "unused", `{}`, 0, why),
		tool("a", "unexplained", `{}`, 1, gateway.ExposureFacts{}),
		tool("a", "find", schema, 1, why),
		tool("c", "look_up", `{"properties":{"n":{"type":"integer"},"q":{"type":"string"}},"type":"object"}`, 1, why),
		tool("a", "find_more", schema, 1, why),
		tool("c", "fine", `{"properties":{}}`, 1, why),
		tool("a", "fine_too", `{"properties":{}}`, 1, why),
	}
	want := []string{"[twin]", "[twin]", "[never_used]", "[no_reason]", "[twin]", "[twin]", "[twin]", "[]", "[]"}
	for i, reasons := range inventory.Remove(all) {
		if got := fmt.Sprint(reasons); got != want[i] {
			t.Errorf("%s: %s, want %s", all[i].ID, got, want[i])
		}
	}
}

// TestBreak compares what breaks a combination with every set of tools that would.
func TestBreak(t *testing.T) {
	for n := range 1 << 9 { // three tools, three facts each
		var tools []inventory.Tool
		for i := range 3 {
			bits := n >> (3 * i)
			tools = append(tools, tool("up", fmt.Sprint(i), `{}`, 0, gateway.ExposureFacts{
				ReadsNoPrivate: bits&1 != 0, TrustedContent: bits&2 != 0, Contained: bits&4 != 0,
			}))
		}
		legs := inventory.Of(tools)
		fewest := -1
		for without := range 1 << 3 {
			var left []inventory.Tool
			gone := 0
			for i := range tools {
				if without&(1<<i) != 0 {
					gone++
					continue
				}
				left = append(left, tools[i])
			}
			if !inventory.Of(left).Lethal() && (fewest < 0 || gone < fewest) {
				fewest = gone
			}
		}
		broken := legs.Break()
		if len(broken) != fewest {
			t.Errorf("%b: takes out %v, %d would do", n, broken, fewest)
		}
		left := slices.DeleteFunc(slices.Clone(tools), func(t inventory.Tool) bool { return slices.Contains(broken, t.ID) })
		if inventory.Of(left).Lethal() {
			t.Errorf("%b: lethal without %v", n, broken)
		}
	}
}

// What nobody judged is a leg, and is told from what a reviewer wrote.
func TestAssumed(t *testing.T) {
	judged := gateway.Judged{Outbound: true, Private: true, Untrusted: true}
	for name, c := range map[string]struct {
		facts    []gateway.ExposureFacts
		reviewed bool
		assumed  string // private, untrusted, outward of the first
	}{
		"nobody judged":        {[]gateway.ExposureFacts{{}}, false, "true true true"},
		"all judged":           {[]gateway.ExposureFacts{{Judged: judged}}, true, "false false false"},
		"one was not":          {[]gateway.ExposureFacts{{Judged: gateway.Judged{Outbound: true, Private: true}}}, false, "false true false"},
		"another tool was":     {[]gateway.ExposureFacts{{}, {Judged: judged}}, true, "true true true"},
		"judged to be neither": {[]gateway.ExposureFacts{{ReadsNoPrivate: true, Judged: judged}}, false, "false false false"},
	} {
		var tools []inventory.Tool
		for i, f := range c.facts {
			tools = append(tools, tool("up", fmt.Sprint(i), `{}`, 0, f))
		}
		legs := inventory.Of(tools)
		private, untrusted, outward := legs.Assumed()
		first := tools[0].ID
		if got := fmt.Sprint(private(first), untrusted(first), outward(first)); legs.AsReviewed() != c.reviewed || got != c.assumed {
			t.Errorf("%s: as reviewed %v, assumed %s", name, legs.AsReviewed(), got)
		}
	}
}
