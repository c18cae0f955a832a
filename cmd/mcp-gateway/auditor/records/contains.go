package records

import (
	"net/netip"
	"slices"
	"strings"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/listed"
)

// Contains says where in an event a value stands, in clear or as a keyed digest, "" for
// nowhere, and whether it is known who called: where it is not, "nowhere" says nothing
// of arguments and names, which are bound to the caller. principal is a configured subject
// or key id, a subject of a configured issuer, or a whole identity; where it is empty every
// configured principal is tried. name is the upstream's own name of the tool; where it is
// empty it follows from the exposed name.
func (a *Records) Contains(e *audit.Event, principal, name string, value []byte) (place string, known bool) {
	if place := inClear(e, string(value)); place != "" {
		return place, true
	}
	if a.isPerson(e, string(value)) {
		return audit.InPrincipal, true
	}
	if slices.Contains(a.staff[string(value)], e.Approver) {
		return "approver", true
	}
	if name == "" {
		name = strings.TrimPrefix(string(e.Tool), string(e.Upstream)+"__")
	}
	tool := gateway.ItemID{Upstream: string(e.Upstream), Name: name}
	known = e.Principal == "" || e.Args == "" && e.ToolRef == ""
	for _, id := range a.identities(e, principal) {
		if place := a.names.Contains(e, id, tool, value); place != "" {
			return place, true
		}
		known = known || a.is(e.Principal, id)
	}
	return "", known
}

// inClear says where a value stands in an event as it is, "" for nowhere.
func inClear(e *audit.Event, value string) string {
	upstream, name, slashed := strings.Cut(value, "/")
	slashed = slashed && listed.ExposedName(upstream, name) == string(e.Tool)
	for _, c := range [...]struct {
		place, had string
	}{
		{"tool", string(e.Tool)}, {"upstream", string(e.Upstream)}, {"subject", string(e.Subject)},
		{"tenant", string(e.Tenant)}, {"client", string(e.Client)},
	} {
		if c.had != "" && (c.had == value || slashed && c.place == "tool") {
			return c.place
		}
	}
	return ""
}

// isPerson says whether a name, of any form that People takes, is that of who asked.
func (a *Records) isPerson(e *audit.Event, name string) bool {
	if e.Principal == "" || name == "" {
		return false
	}
	return slices.ContainsFunc(a.identities(e, name), func(id string) bool { return a.is(e.Principal, id) })
}

func (a *Records) identities(e *audit.Event, principal string) []string {
	ids := []string{principal}
	if who := principal; who != "" || e.Subject != "" {
		if who == "" {
			who = string(e.Subject) // in clear: under some issuer it is the caller
		}
		ids = append(ids, a.wholes(who, "", string(e.Tenant), string(e.Client))...)
	}
	for _, p := range a.principals {
		if principal == "" || principal == p.Subject || principal == p.Client {
			ids = append(ids, p.ID())
		}
	}
	return ids
}

// Unkept says that a value is an address, of which none of these events holds anything:
// that of a request with a good credential is not kept.
func Unkept(story []Told, value string) bool {
	if _, err := netip.ParseAddr(value); err != nil {
		return false
	}
	return !slices.ContainsFunc(story, func(t Told) bool { return t.Event.Source != "" })
}
