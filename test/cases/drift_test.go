package cases

import (
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/diff"
	"mcp-gateway/test/stage"
)

// drifts are the cases of definitions that change after their review.
func drifts() map[string]proof {
	whole := func(c *trial, part string) string { return c.raw(part) }
	schema := func(c *trial, part string) string {
		return `{"name":"drifts","inputSchema":` + with(c.raw(part), `"type":"object"`) + `}`
	}
	around := func(c *trial, part string) string {
		return with(c.raw(part), `"name":"drifts","inputSchema":{"type":"object"}`)
	}
	return map[string]proof{
		"ATK-005": drifting(whole, "note", "/description", diff.Changed),
		"ATK-028": drifting(schema, "drifts", "/inputSchema/required/1", diff.Added),
		"ATK-041": drifting(schema, "drifts", "/inputSchema/properties/n/default", diff.Changed),
		"ATK-043": drifting(around, "drifts", "/annotations/destructiveHint", diff.Changed),
	}
}

// drifting proves that a definition that became another one is not served, neither
// to those who list anew nor to those who listed before, until it is what was
// reviewed again; and that a reviewer is told where it differs.
func drifting(definition func(c *trial, part string) string, name, pointer string, kind diff.Kind) proof {
	return func(c *trial) {
		first, then := definition(c, "/first"), definition(c, "/then")
		s := c.open(newPeer().Add(first, stage.Result(stage.Text(done))), stage.Options{})
		reviewed := s.observed(name)
		calls := s.eras()
		for _, call := range calls {
			s.passed(call("up__"+name, `{"q":"x"}`))
		}
		s.up.Replace(name, then)
		c.must(s.Gateway.Refresh(c.Context(), "up"))
		s.Events(c)
		s.up.Calls()
		for _, call := range calls { // hosts that remember it
			s.refused(call("up__"+name, `{"q":"x"}`), gateway.CodeUnknownTool, gateway.ReasonDefinitionChanged)
		}
		s.untouched()
		s.withheld(name, gateway.ReasonDefinitionChanged)
		changed := s.last(func(e *audit.Event) bool { return e.Type == audit.ToolsChanged && e.State == gateway.StateChanged })
		c.hold(event, changed.Was == reviewed && changed.Definition != reviewed && changed.Definition == s.observed(name), "on record from %s to %s", changed.Was, changed.Definition)
		told := diff.Definitions([]byte(first), []byte(then))
		c.hold(outward, slices.ContainsFunc(told, func(d diff.Change) bool {
			return d.Kind == kind && (d.Pointer == pointer || strings.HasPrefix(pointer, d.Pointer+"/"))
		}), "the difference is told as %+v, want %s at %s", told, kind, pointer)
		s.served()
		s.up.Replace(name, first)
		c.must(s.Gateway.Refresh(c.Context(), "up"))
		s.passed(s.alice.Call(c, "up__"+name, `{"q":"x"}`))
	}
}

// observed is the digest of what is listed of that name at "up".
func (s *scene) observed(name string) gateway.Digest {
	for _, o := range s.Gateway.Registry().Observations() {
		if o.ID.Upstream == "up" && o.ID.Name == name {
			return o.Digest
		}
	}
	return ""
}
