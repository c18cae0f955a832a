package execute

import (
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/throttle"
)

// rates counts a call wherever there is a limit, or refuses it and counts it
// nowhere.
func rates(m *throttle.Meter, c *call.Call) error {
	r := &c.World.Limits.Rates
	if r.Tool.N+r.Upstream.N+r.Destructive.N+r.Bytes.N == 0 {
		return nil
	}
	item := c.Item.Item()
	id := c.Principal.ID()
	counts := [...]throttle.Count{
		{Kind: throttle.Calls, Principal: id, Of: item.ID.String(), Rate: r.Tool},
		{Kind: throttle.UpstreamCalls, Of: item.ID.Upstream, Rate: r.Upstream},
		{Kind: throttle.DestructiveCalls, Principal: id},
		results(c),
	}
	if item.Facts.Class() == gateway.Destructive {
		counts[2].Rate = r.Destructive
	}
	if e := m.Take(c.Now(), counts[:]...); e != nil {
		return e
	}
	return nil
}

// results is the budget of what a principal is given.
func results(c *call.Call) throttle.Count {
	rate := c.World.Limits.Rates.Bytes
	if rate.N == 0 {
		return throttle.Count{}
	}
	return throttle.Count{Kind: throttle.ResultBytes, Principal: c.Principal.ID(), Rate: rate}
}
