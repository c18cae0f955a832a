package proxy

import (
	"context"
	"slices"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/present"
	"mcp-gateway/registry"
)

// discoverStages answer server/discover: what this gateway speaks and offers. Of what
// an upstream says nothing enters it but, on its own endpoint, instructions that a
// reviewer saw.
func (g *Gateway) discoverStages() []Stage {
	return []Stage{
		{Name: "discover", Needs: []Fact{call.FactRequest}, Run: g.discover},
		{Name: "note", Needs: []Fact{call.FactRequest}, Settle: g.recorder.Note},
	}
}

// allowed are the extensions that some upstream in scope may be declared.
func allowed(c *Call) []string {
	var all []string
	for id, extensions := range c.World.Extensions {
		if c.Scope == "" || c.Scope == id {
			all = append(all, extensions...)
		}
	}
	return all
}

// instructions are those that a reviewer saw of the one upstream in scope, cleaned, as a
// member behind a comma; nothing for whoever may know of nothing that it offers. The
// endpoint of all upstreams gives none: what one says there would stand for all.
func (g *Gateway) instructions(ctx context.Context, c *Call) []byte {
	if c.Scope == "" {
		return nil
	}
	catalog := g.sight.Catalog()
	raw := catalog.Snapshot.Instructions(c.Scope)
	if raw == nil {
		return nil
	}
	view, _, err := g.sight.Of(ctx, c.Principal, c.World.Policy, catalog)
	if err != nil || !slices.ContainsFunc(catalog.All(), func(t *registry.Item) bool {
		return t.ID.Upstream == c.Scope && view.Has(t.Index)
	}) {
		return nil
	}
	cleaner := g.Redactor
	if own := c.World.Content[c.Scope]; own != nil {
		cleaner = own
	}
	clean, err := cleaner.Any(append(append([]byte(`{"instructions":`), raw...), '}'))
	if err != nil {
		return nil
	}
	told := clean.Bytes()
	return append([]byte(`,`), told[1:len(told)-1]...)
}

func (g *Gateway) discover(ctx context.Context, c *Call) error {
	r := append(make([]byte, 0, 512), `{"resultType":"complete","supportedVersions":["`+protocol.Revision20260728+
		`"],"capabilities":`+lifecycle.Capabilities(allowed(c)...)+`,`...)
	r = present.AppendCacheHints(r, c.World.Limits.ListTTL)
	r = append(r, g.instructions(ctx, c)...)
	r = append(r, `,"_meta":`...)
	r = append(g.hop.AppendMeta(r), '}')
	c.Result = r
	return nil
}
