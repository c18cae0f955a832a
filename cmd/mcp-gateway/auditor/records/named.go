package records

import (
	"context"
	"slices"
	"strings"

	"mcp-gateway/audit"
)

// NamedBy returns which replicas name principals by which audit key, by key id.
func (a *Records) NamedBy(ctx context.Context) (map[string][]audit.Ident, error) {
	groups, err := a.index.Count(ctx, audit.Filter{Limit: maxPeople}, []string{"principal", "replica"})
	if err != nil {
		return nil, err
	}
	by := map[string][]audit.Ident{}
	for _, g := range groups {
		key, _, named := strings.Cut(g.Values[0], ":")
		replica := audit.Ident(g.Values[1])
		if named && !slices.Contains(by[key], replica) {
			by[key] = append(by[key], replica)
		}
	}
	for _, replicas := range by {
		slices.Sort(replicas)
	}
	return by, nil
}
