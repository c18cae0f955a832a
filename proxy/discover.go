package proxy

import (
	"context"
	"strconv"

	"mcp-gateway/audit"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/lifecycle"
)

// discoverStages answer server/discover: what this gateway speaks and offers.
// Nothing of any upstream enters it, above all not its instructions.
func (g *Gateway) discoverStages() []Stage {
	return []Stage{
		{Name: "discover", Needs: []Fact{FactRequest}, Run: g.discover},
		{Name: "note", Needs: []Fact{FactRequest}, Settle: g.note},
	}
}

func (g *Gateway) discover(_ context.Context, c *Call) error {
	r := append(make([]byte, 0, 512), `{"resultType":"complete","supportedVersions":["`+protocol.Revision20260728+
		`"],"capabilities":`+lifecycle.Capabilities(audit.Modern)+`,`...)
	r = appendCacheHints(r, c)
	r = append(r, `,"_meta":`...)
	r = append(g.hop.AppendMeta(r), '}')
	c.Result = r
	return nil
}

// appendCacheHints says how long the host may keep a list, and that it is its
// alone: what a list holds depends on the principal, so it is never public.
func appendCacheHints(dst []byte, c *Call) []byte {
	dst = append(dst, `"ttlMs":`...)
	dst = strconv.AppendInt(dst, c.World.Limits.ListTTL.Milliseconds(), 10)
	return append(dst, `,"cacheScope":"private"`...)
}
