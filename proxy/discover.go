package proxy

import (
	"context"

	"mcp-gateway/audit"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/present"
)

// discoverStages answer server/discover: what this gateway speaks and offers.
// Nothing of any upstream enters it, above all not its instructions.
func (g *Gateway) discoverStages() []Stage {
	return []Stage{
		{Name: "discover", Needs: []Fact{call.FactRequest}, Run: g.discover},
		{Name: "note", Needs: []Fact{call.FactRequest}, Settle: g.recorder.Note},
	}
}

func (g *Gateway) discover(_ context.Context, c *Call) error {
	r := append(make([]byte, 0, 512), `{"resultType":"complete","supportedVersions":["`+protocol.Revision20260728+
		`"],"capabilities":`+lifecycle.Capabilities(audit.Modern)+`,`...)
	r = present.AppendCacheHints(r, c.World.Limits.ListTTL)
	r = append(r, `,"_meta":`...)
	r = append(g.hop.AppendMeta(r), '}')
	c.Result = r
	return nil
}
