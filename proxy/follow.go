package proxy

import (
	"context"
	"crypto/sha256"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
)

// Follower tells a legacy host whenever what its principal sees of its
// endpoint's tools changed: not when anything changed that it can't see.
type Follower struct {
	gateway   *Gateway
	begun     *Call // the call that asked to be told
	principal *gateway.Principal
	world     *World
	replaced  <-chan struct{}
	catalog   *call.Catalog
	before    [sha256.Size]byte
	known     bool // before is what the principal saw
}

// Follow notes what the principal of a call sees now, from which Run goes on.
func (g *Gateway) Follow(ctx context.Context, c *Call) *Follower {
	f := &Follower{gateway: g, begun: c, principal: c.Principal}
	f.world, f.replaced = g.worlds.Watch()
	f.look(ctx)
	return f
}

// look notes what the principal sees, and says whether that is known to differ
// from before.
func (f *Follower) look(ctx context.Context) (changed bool) {
	f.catalog = f.gateway.sight.Catalog()
	now, err := f.seen(ctx)
	if err != nil {
		return false // policy gives no answer: what was seen before is compared with the next one
	}
	changed = f.known && now != f.before
	f.before, f.known = now, true
	return changed
}

// Run tells of changes until ctx ends. It returns early when nothing can be told,
// and when the credential of the call is good no more.
func (f *Follower) Run(ctx context.Context, tell func(method string) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.catalog.Superseded():
		case <-f.replaced:
			f.world, f.replaced = f.gateway.worlds.Watch()
			if f.principal = welcome(ctx, f.begun, f.world); f.principal == nil {
				return
			}
		}
		if f.look(ctx) && tell(protocol.NotificationToolsChanged) != nil {
			return
		}
	}
}

// welcome asks again who calls, under settings that replaced others: what the
// principal holds may have changed. nil means that it may not stay.
func welcome(ctx context.Context, c *Call, world *World) *gateway.Principal {
	again := &Call{Arrival: c.Arrival, World: world}
	if identify(ctx, again) != nil || again.Principal.ID() != c.Principal.ID() {
		return nil
	}
	if c.Scope != "" && world.Upstreams[c.Scope] == nil {
		return nil
	}
	return again.Principal
}

// seen digests what the principal would be listed.
func (f *Follower) seen(ctx context.Context) (sum [sha256.Size]byte, err error) {
	view, _, err := f.gateway.sight.Of(ctx, f.principal, f.world.Policy, f.catalog)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	for _, item := range f.catalog.Items(gateway.KindTool, f.begun.Scope) {
		if view.Has(item.Index) {
			h.Write(shown(item, f.begun.Scope))
			h.Write([]byte{0})
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func shown(item *registry.Item, scope string) []byte {
	if scope == "" {
		return item.Fragment
	}
	return item.OwnFragment
}
