package reviewer

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/reviewer/whom"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/cmd/mcp-gateway/run/delivery"
	"mcp-gateway/gateway"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/registry"
	"mcp-gateway/registry/inventory"
	"mcp-gateway/registry/views"
)

// seenBy is one class of principals, and what of the snapshot it may know of.
type seenBy struct {
	name string
	view views.View
}

// sights asks policy for every configured principal, and for the classes of principals
// that an issuer may send: who they are is not known before they come; and for more. What
// it leaves out it tells.
func sights(ctx context.Context, in *run.Inspection, more []whom.Class, told io.Writer) ([]seenBy, error) {
	var desk delivery.Desk
	policy, _, err := desk.Plan(ctx, in.Config, time.Now, nil)
	if err != nil {
		return nil, err
	}
	cache, err := views.NewCache(views.Options{})
	if err != nil {
		return nil, err
	}
	s := sight.New(in.Registry, cache)
	var all []seenBy
	ask := func(name string, p *gateway.Principal) error {
		v, _, err := s.Of(ctx, p, policy, s.Catalog())
		all = append(all, seenBy{name, v})
		return err
	}
	for i := range in.Config.Auth.Keys {
		p := &in.Config.Auth.Keys[i].Principal
		if err := ask(p.Subject, p); err != nil {
			return nil, err
		}
	}
	for name, p := range map[string]*gateway.Principal{"stdio": in.Config.Auth.Stdio, "anonymous": in.Config.Auth.Anonymous} {
		if p != nil {
			if err := ask(name, p); err != nil {
				return nil, err
			}
		}
	}
	classes := whom.Of(in)
	roles, err := whom.Roles(classes, whom.Policy{
		Literals: policy.Literals,
		View: func(p *gateway.Principal) (views.View, error) {
			v, _, err := s.Of(ctx, p, policy, s.Catalog())
			return v, err
		},
		Over: func(part string, n int) {
			fmt.Fprintf(told, "note: %d texts stand in the policy; not all were tried as %s: --as asks for others\n", n, part)
		},
	})
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Concat(classes, roles, more) {
		if err := ask(c.Name, &c.Of); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b seenBy) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// reach is an item's index in the snapshot, or -1.
func reach(in *registry.Snapshot, id gateway.ItemID) int {
	p, _ := in.Resolve(id.Kind, id.Upstream, id.Name)
	if !p.Valid() {
		return -1
	}
	return p.Item().Index
}

func combinations(w io.Writer, in *run.Inspection, seen []seenBy, format string) error {
	t := &cli.Table{Columns: []string{"principal", "lethal", "reads_private", "untrusted_content", "outbound", "break_by_removing", "lethal_as_reviewed"},
		Narrow: []string{"principal", "lethal", "lethal_as_reviewed", "reads_private", "untrusted_content", "outbound", "break_by_removing"}}
	found := false
	for _, s := range seen {
		var tools []inventory.Tool
		for _, item := range in.Registry.Snapshot().Items(gateway.KindTool, "") {
			if s.view.Has(item.Index) {
				tools = append(tools, inventory.Tool{ID: item.ID, Facts: item.Facts})
			}
		}
		legs := inventory.Of(tools)
		found = found || legs.Lethal()
		private, untrusted, outward := legs.Assumed()
		t.Add(s.name, strconv.FormatBool(legs.Lethal()), ids(legs.Private, private), ids(legs.Untrusted, untrusted), ids(legs.Outward, outward),
			ids(legs.Break(), func(gateway.ItemID) bool { return false }), strconv.FormatBool(legs.AsReviewed()))
	}
	if err := write(w, t, format); err != nil {
		return err
	}
	if found {
		return &cli.Error{Code: cli.Differs}
	}
	return nil
}

// ids writes items, those of which it was only assumed marked.
func ids(all []gateway.ItemID, assumed func(gateway.ItemID) bool) string {
	texts := make([]string, len(all))
	for i, id := range all {
		texts[i] = id.String()
		if assumed(id) {
			texts[i] += "(assumed)"
		}
	}
	return strings.Join(texts, " ")
}
