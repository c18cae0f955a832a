package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sort"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// Listed is what a list offered and withheld.
type Listed struct {
	Tools  []*registry.Item // of the scope, in their stable order
	Cached bool             // the view came from the private list cache
	Next   string           // cursor of the next page
}

// listStages answer tools/list. No upstream is asked: what is served is what
// the newest snapshot holds and policy shows to this principal.
func (g *Gateway) listStages() []Stage {
	return []Stage{
		{Name: "gather", Needs: []Fact{FactRequest}, Sets: []Fact{FactTool}, Run: g.gather},
		{Name: "visible", Needs: []Fact{FactTool, FactPrincipal}, Sets: []Fact{FactOffered}, Run: g.offer},
		{Name: "page", Needs: []Fact{FactOffered}, Sets: []Fact{FactPage}, Run: g.page},
		{Name: "note", Needs: []Fact{FactPage}, Settle: g.note},
	}
}

func (g *Gateway) gather(_ context.Context, c *Call) error {
	c.Catalog = g.current()
	c.Listed.Tools = c.Catalog.Items(gateway.KindTool, c.Scope)
	return nil
}

// offer takes the principal's view from the private cache, or asks policy once
// for all tools and remembers the answer for exactly this snapshot and policy.
func (g *Gateway) offer(ctx context.Context, c *Call) error {
	view, cached, err := g.view(ctx, c)
	c.View, c.Listed.Cached = view, cached
	return err
}

// view is the one place that says who sees what; lists and calls both ask it.
func (g *Gateway) view(ctx context.Context, c *Call) (views.View, bool, error) {
	key, policy := contextKey(c.Principal), c.World.Policy
	if v, ok := g.Views.Get(key, c.Catalog.Revision(), policy.Revision()); ok {
		return v, true, nil
	}
	seen, err := policy.Visible(ctx, c.Principal, c.Catalog.resources)
	if err != nil {
		return views.View{}, false, err
	}
	v := views.New(c.Catalog.Revision(), policy.Revision(), seen)
	g.Views.Put(key, v)
	return v, false, nil
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

// page renders one page from the fragments that all principals share.
func (g *Gateway) page(_ context.Context, c *Call) error {
	from, err := g.start(c)
	if err != nil {
		return err
	}
	size := 256
	for _, t := range c.Listed.Tools[from:] {
		size += len(t.Fragment) + 1
	}
	r := append(make([]byte, 0, size), '{')
	if c.Era == audit.Modern {
		r = append(r, `"resultType":"complete",`...)
	}
	r = append(r, `"tools":[`...)
	shown := 0
	for _, t := range c.Listed.Tools[from:] {
		if !c.View.Has(t.Index) {
			continue
		}
		if shown == c.World.Limits.Page {
			c.Listed.Next = g.cursor(c, nameIn(t, c.Scope))
			break
		}
		if shown++; shown > 1 {
			r = append(r, ',')
		}
		r = append(r, fragment(t, c.Scope)...)
	}
	r = append(r, ']')
	if c.Listed.Next != "" {
		r = protocol.AppendString(append(r, `,"nextCursor":`...), c.Listed.Next)
	}
	if c.Era == audit.Modern {
		r = appendCacheHints(append(r, ','), c)
		r = g.hop.AppendMeta(append(r, `,"_meta":`...))
	}
	c.Result = append(r, '}')
	return nil
}

// start finds where a page begins. A cursor names the first tool of its page,
// sealed for this principal and endpoint; it stays good when the list changes,
// since tools are sorted by name.
func (g *Gateway) start(c *Call) (int, error) {
	raw, ok := protocol.Member(c.Request.Params, "cursor")
	if !ok {
		return 0, nil
	}
	cursor, ok := protocol.Text(raw)
	if !ok {
		return 0, gateway.Fail(gateway.CodeInvalidParams)
	}
	name, err := g.Keys.Open(keyring.State, cursor, cursorContext(c))
	if err != nil {
		return 0, gateway.Because(gateway.CodeInvalidParams, err)
	}
	return sort.Search(len(c.Listed.Tools), func(i int) bool {
		return nameIn(c.Listed.Tools[i], c.Scope) >= string(name)
	}), nil
}

func (g *Gateway) cursor(c *Call, name string) string {
	return g.Keys.Seal(keyring.State, []byte(name), cursorContext(c))
}

// nameIn is what a tool is called on an endpoint: its own name on that of its
// upstream, its exposed name on that of all.
func nameIn(t *registry.Item, scope string) string {
	if scope == "" {
		return t.Exposed
	}
	return t.ID.Name
}

func fragment(t *registry.Item, scope string) []byte {
	if scope == "" {
		return t.Fragment
	}
	return t.OwnFragment
}

func cursorContext(c *Call) []byte {
	return slices.Concat([]byte("tools/list|"), []byte(c.Scope), []byte("|"), []byte(c.Principal.ID()))
}
