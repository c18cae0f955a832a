package absent

import (
	"context"
	"maps"
	"slices"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
)

// Upstream is one that lacks a secret, by its id. It is down until a reload finds it.
type Upstream string

// Call implements proxy.Upstream: nothing is sent.
func (u Upstream) Call(context.Context, protocol.Outgoing) (protocol.Incoming, error) {
	return protocol.Incoming{}, missing()
}

// List implements proxy.Upstream.
func (u Upstream) List(context.Context) (registry.Listing, error) {
	return registry.Listing{}, missing()
}

// Changed implements proxy.Upstream: it never says so.
func (u Upstream) Changed() <-chan struct{} { return nil }

// Watch implements proxy.Upstream.
func (u Upstream) Watch(context.Context, string, func()) error { return missing() }

// Fact implements proxy.Upstream.
func (u Upstream) Fact() registry.UpstreamFact {
	return registry.UpstreamFact{ID: string(u), Reason: string(gateway.ReasonSecretMissing)}
}

func missing() error {
	return gateway.Fail(gateway.CodeUnavailable, gateway.ReasonSecretMissing)
}

// Problems are the secrets that upstreams of a configuration lack, as gateway.Problems
// in the order of their ids; nil for none.
func Problems(c *config.Config) error {
	var all gateway.Problems
	for _, id := range slices.Sorted(maps.Keys(c.Upstreams)) {
		all = append(all, c.Upstreams[id].Missing...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
