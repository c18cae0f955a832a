package records

import (
	"context"
	"fmt"
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

// tellBorrowed says whose names the keys of the configuration know in collected journals.
func (a *Records) tellBorrowed(ctx context.Context) error {
	if a.borrowed == nil || a.names == nil {
		return nil
	}
	by, err := a.NamedBy(ctx)
	if err != nil {
		return err
	}
	var ours, others []string
	for key, replicas := range by {
		for _, r := range replicas {
			if slices.Contains(a.ids, key) {
				ours = append(ours, string(r))
			} else {
				others = append(others, string(r))
			}
		}
	}
	_, err = fmt.Fprintf(a.borrowed, "names are found by the keys of %s: what %s named by them%s\n", a.config.State.Dir, said(ours), except(others))
	return err
}

func said(replicas []string) string {
	if len(replicas) == 0 {
		return "no gateway"
	}
	slices.Sort(replicas)
	return strings.Join(slices.Compact(replicas), ", ")
}

func except(replicas []string) string {
	if len(replicas) == 0 {
		return ""
	}
	return "; what " + said(replicas) + " named by other keys is not found"
}
