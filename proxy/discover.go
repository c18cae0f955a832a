package proxy

import (
	"context"

	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/present"
)

// discoverStages answer server/discover: what this gateway speaks and offers.
// Nothing that an upstream says enters it, above all not its instructions.
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

func (g *Gateway) discover(_ context.Context, c *Call) error {
	r := append(make([]byte, 0, 512), `{"resultType":"complete","supportedVersions":["`+protocol.Revision20260728+
		`"],"capabilities":`+lifecycle.Capabilities(allowed(c)...)+`,`...)
	r = present.AppendCacheHints(r, c.World.Limits.ListTTL)
	r = append(r, `,"_meta":`...)
	r = append(g.hop.AppendMeta(r), '}')
	c.Result = r
	return nil
}
