package ruling

import (
	"mcp-gateway/audit"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/history"
	"mcp-gateway/proxy/present"
	"mcp-gateway/rego"
)

// Ruling asks policy about calls and keeps what it asks for.
type Ruling struct {
	History *history.Book // how often each principal called
	Hop     *present.Hop
}

// Circumstance is what policy is told of a call beside who, what and with which
// arguments. What costs something to find out is found out only where the policy
// in force looks at it.
func (r *Ruling) Circumstance(c *call.Call) rego.Context {
	about := rego.Context{
		Action:    c.Request.Method,
		Era:       string(c.Era),
		Revision:  c.Revision,
		Transport: c.Transport,
		Time:      c.Now(),
		Approval:  c.Approval,
		Responses: c.Round.Responses,
	}
	needs := c.World.Policy.Needs()
	if needs.History {
		about.History = r.History.Of(c.Principal.ID(), c.Item.Item().ID, about.Time)
	}
	if needs.Host {
		about.Host = HostClaims(c)
	}
	if needs.Server {
		about.Server = ServerClaims(c.World.Upstreams[c.Item.Item().ID.Upstream])
	}
	return about
}

// ServerClaims is what an upstream says of itself.
func ServerClaims(up call.Upstream) rego.Claimed {
	if up == nil {
		return rego.Claimed{}
	}
	fact := up.Fact()
	return rego.Claimed{Name: fact.ClaimedName, Version: fact.ClaimedVersion}
}

// HostClaims is what a host says of itself: one of today with each request, one of
// old once, at initialize.
func HostClaims(c *call.Call) rego.Claimed {
	if s := c.Session; s != nil {
		return rego.Claimed{Name: s.Name, Version: s.Version}
	}
	if c.Era != audit.Modern {
		return rego.Claimed{}
	}
	name, _ := text(c.Request.Meta.ClientInfo, "name")
	version, _ := text(c.Request.Meta.ClientInfo, "version")
	return rego.Claimed{Name: name, Version: version}
}

// text returns a string member of a checked object.
func text(object []byte, name string) (string, bool) {
	raw, _ := protocol.Member(object, name)
	return protocol.Text(raw)
}
