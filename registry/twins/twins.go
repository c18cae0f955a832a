package twins

import (
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/findings"
	"mcp-gateway/registry/listed"
)

// Named is something that is listed, and what hosts of the endpoint for all upstreams
// call it; "" = it has no name.
type Named struct {
	ID      gateway.ItemID
	Exposed string
}

type key struct {
	kind gateway.Kind
	name string
}

// keys are what a thing is compared by: the name that hosts see and the one that it
// was made of, which may be longer, both without case and the separators that people
// mix up. URIs keep their spelling.
func (n *Named) keys() []key {
	if n.uri() {
		return []key{{n.ID.Kind, n.Exposed}}
	}
	seen, full := findings.Fold(n.Exposed), listed.FullName(n.ID.Upstream, n.ID.Name)
	if full == n.Exposed {
		return []key{{n.ID.Kind, seen}}
	}
	return []key{{n.ID.Kind, seen}, {n.ID.Kind, findings.Fold(full)}}
}

func (n *Named) uri() bool {
	return n.ID.Kind == gateway.KindResource || n.ID.Kind == gateway.KindTemplate
}

// Find returns for each of all that is a twin, by its index, who share its name: listed
// twice by one upstream, meeting after shortening, or alike but for case and separators,
// over all upstreams. Two upstreams may well offer the same URI: that makes no twins.
func Find(all []Named) map[int]string {
	by := make(map[key][]int, len(all))
	for i := range all {
		if all[i].Exposed == "" {
			continue
		}
		for _, k := range all[i].keys() {
			if have := by[k]; len(have) == 0 || have[len(have)-1] != i {
				by[k] = append(have, i)
			}
		}
	}
	found := map[int]string{}
	for _, group := range by {
		if len(group) == 1 {
			continue
		}
		why := describe(all, group)
		for _, i := range group {
			if !all[i].uri() || twice(all, group, i) {
				found[i] = max(found[i], why) // of several groups, the same one each time
			}
		}
	}
	return found
}

func describe(all []Named, group []int) string {
	ids := make([]string, len(group))
	for i, at := range group {
		ids[i] = all[at].ID.String()
	}
	slices.Sort(ids)
	return strings.Join(ids, " and ") + " would share the name " + all[group[0]].Exposed
}

// twice says whether another of the group is of the same upstream and name.
func twice(all []Named, group []int, i int) bool {
	return slices.ContainsFunc(group, func(j int) bool { return j != i && all[j].ID == all[i].ID })
}
