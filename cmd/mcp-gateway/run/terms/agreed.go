package terms

import (
	"mcp-gateway/config"
	"mcp-gateway/protocol"
)

// Extensions are those that upstreams and hosts may agree on, by upstream.
func Extensions(c *config.Config) map[string][]string {
	all := make(map[string][]string)
	for id, u := range c.Upstreams {
		if len(u.Extensions) > 0 {
			all[id] = u.Extensions
		}
	}
	return all
}

// Relayed says by upstream which methods it may ask of a legacy host.
func Relayed(c *config.Config) map[string]map[string]bool {
	methods := map[config.Relay]string{
		config.RelayElicitation: protocol.MethodElicit,
		config.RelaySampling:    protocol.MethodCreateMessage,
		config.RelayRoots:       protocol.MethodRootsList,
	}
	all := make(map[string]map[string]bool, len(c.Upstreams))
	for id, u := range c.Upstreams {
		all[id] = make(map[string]bool, len(u.Relay))
		for _, what := range u.Relay {
			all[id][methods[what]] = true
		}
	}
	return all
}
