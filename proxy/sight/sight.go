package sight

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
)

// Sight says what is served and who may see it. It is safe for concurrent use.
type Sight struct {
	registry *registry.Registry
	views    *views.Cache
	catalog  atomic.Pointer[call.Catalog]
}

// New returns the sight of a registry.
func New(r *registry.Registry, v *views.Cache) *Sight { return &Sight{registry: r, views: v} }

// Catalog returns the catalog of the newest snapshot. Two calls that find it
// stale at once both build it; the result is the same.
func (s *Sight) Catalog() *call.Catalog {
	snapshot := s.registry.Snapshot()
	if have := s.catalog.Load(); have != nil && have.Snapshot == snapshot {
		return have
	}
	made := &call.Catalog{Snapshot: snapshot}
	for _, item := range snapshot.All() {
		made.Resources = append(made.Resources, Resource(item))
		if h := item.Facts.Handles; len(h.Gives)+len(h.Takes) > 0 {
			if made.Handles == nil {
				made.Handles = map[string]bool{}
			}
			made.Handles[item.ID.Upstream] = true
		}
	}
	for _, item := range snapshot.Awaited() {
		made.Resources = append(made.Resources, Resource(item))
	}
	s.catalog.Store(made)
	return made
}

// Resource is what policy is told of an item.
func Resource(t *registry.Item) *rego.Resource {
	return rego.NewResource(rego.Item{
		ID:         t.ID,
		Exposed:    t.Exposed,
		Definition: t.Definition.Digest,
		State:      gateway.StateApproved,
		Facts:      *t.Facts,
		Findings:   t.Findings,
		Claims:     claims(t),
	})
}

// claims are what a tool's upstream says of its effects (2026-07-28, Tools, Tool
// Annotations): for rules that refuse or ask, and for no others.
func claims(t *registry.Item) map[string]bool {
	var out map[string]bool
	for hint, name := range map[string]string{
		"readOnlyHint": "read_only", "destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "open_world",
	} {
		raw, ok := protocol.Lookup(t.Definition.Raw, "/annotations/"+hint)
		if kind := protocol.Kind(raw); !ok || kind != 't' && kind != 'f' {
			continue
		}
		if out == nil {
			out = make(map[string]bool, 4)
		}
		out[name] = protocol.Kind(raw) == 't'
	}
	return out
}

// Holds says whether what was resolved is still served as that very definition.
func (s *Sight) Holds(p registry.Pinned) gateway.Reason { return s.registry.Snapshot().Holds(p) }

// View is the one place that says who sees what; lists and calls both ask it. It
// comes from the private cache, or from policy, asked once about everything, and
// is remembered for exactly this snapshot and policy.
func (s *Sight) View(ctx context.Context, c *call.Call) (v views.View, cached bool, err error) {
	return s.Of(ctx, c.Principal, c.World.Policy, c.Catalog)
}

// Of is View without a call.
func (s *Sight) Of(ctx context.Context, p *gateway.Principal, policy *rego.Engine, k *call.Catalog) (v views.View, cached bool, err error) {
	key := contextKey(p)
	if v, ok := s.views.Get(key, k.Revision(), policy.Revision()); ok {
		return v, true, nil
	}
	seen, err := policy.Visible(ctx, p, k.Resources)
	if err != nil {
		return views.View{}, false, err
	}
	for _, items := range [...][]*registry.Item{k.Snapshot.All(), k.Snapshot.Awaited()} {
		for _, item := range items {
			seen[item.Index] = seen[item.Index] && Admits(item, p)
		}
	}
	v = views.New(k.Revision(), policy.Revision(), seen)
	s.views.Put(key, v)
	return v, false, nil
}

// Admits says whether the reviewer of an item lets the principal's tenant know of it. No
// policy can widen that.
func Admits(t *registry.Item, p *gateway.Principal) bool {
	tenants := t.Facts.Tenants
	return len(tenants) == 0 || p.Tenant != "" && slices.Contains(tenants, p.Tenant)
}

// contextKey digests all that visibility may depend on: who it is, how that
// was established, and what it holds.
func contextKey(p *gateway.Principal) views.ContextKey {
	buf := make([]byte, 0, 256)
	buf = append(append(buf, p.ID()...), p.Method...)
	for _, list := range [...][]string{p.Scopes, p.Groups} {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(list)))
		for _, held := range list {
			buf = binary.BigEndian.AppendUint32(buf, uint32(len(held)))
			buf = append(buf, held...)
		}
	}
	return sha256.Sum256(buf)
}
