package proxy

import (
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
	"mcp-gateway/rego"
)

// catalog pairs a snapshot of the registry with what policy sees of each tool,
// made once per snapshot so that no call builds it.
type catalog struct {
	*registry.Snapshot
	resources []*rego.Resource // by Tool.Index
}

// current returns the catalog of the newest snapshot. Two calls that find it
// stale at once both build it; the result is the same.
func (g *Gateway) current() *catalog {
	snapshot := g.Registry.Snapshot()
	if have := g.catalog.Load(); have != nil && have.Snapshot == snapshot {
		return have
	}
	made := &catalog{Snapshot: snapshot}
	for _, t := range snapshot.All() {
		made.resources = append(made.resources, resource(t))
	}
	g.catalog.Store(made)
	return made
}

func resource(t *registry.Item) *rego.Resource {
	return rego.NewResource(rego.Item{
		ID:         t.ID,
		Exposed:    t.Exposed,
		Definition: t.Definition.Digest,
		State:      gateway.StateApproved,
		Facts:      *t.Facts,
		Findings:   t.Findings,
	})
}
