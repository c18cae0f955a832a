package pace

import (
	"fmt"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/throttle"
)

// Rates counts a call wherever there is a limit, or refuses it and counts it
// nowhere. A class that policy names and the configuration does not know lets
// nothing pass.
func Rates(m *throttle.Meter, c *call.Call) error {
	r, classes := &c.World.Limits.Rates, c.Decision.Obligations.RateClasses
	if r.Tool.N+r.Upstream.N+r.Destructive.N+r.Bytes.N+len(classes) == 0 {
		return nil
	}
	item := c.Item.Item()
	id := c.Principal.ID()
	counts := append(make([]throttle.Count, 0, 8),
		throttle.Count{Kind: throttle.Calls, Principal: id, Of: item.ID.String(), Rate: r.Tool},
		throttle.Count{Kind: throttle.UpstreamCalls, Of: item.ID.Upstream, Rate: r.Upstream},
		Results(c))
	if item.Facts.Class() == gateway.Destructive {
		counts = append(counts, throttle.Count{Kind: throttle.DestructiveCalls, Principal: id, Rate: r.Destructive})
	}
	for _, name := range classes {
		rate, known := r.Classes[name]
		if !known {
			return gateway.Because(gateway.CodePolicyUnavailable, fmt.Errorf("policy names the rate class %q, which limits.rates.classes does not have", name), gateway.ReasonPolicyError)
		}
		counts = append(counts, throttle.Count{Kind: throttle.ClassCalls, Principal: id, Of: name, Rate: rate})
	}
	if e := m.Take(c.Now(), counts...); e != nil {
		return e
	}
	return nil
}

// Results is the budget of what a principal is given.
func Results(c *call.Call) throttle.Count {
	rate := c.World.Limits.Rates.Bytes
	if rate.N == 0 {
		return throttle.Count{}
	}
	return throttle.Count{Kind: throttle.ResultBytes, Principal: c.Principal.ID(), Rate: rate}
}
