package lists

import (
	"context"
	"sort"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/lists/cursor"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/registry"
)

// Lists answer the lists of every kind. No upstream is asked: what is served is
// what the newest snapshot holds and policy shows to this principal.
type Lists struct {
	Sight  *sight.Sight
	Keys   *keyring.Ring // seals cursors
	Hop    *present.Hop
	Record *record.Recorder

	texts   texts
	buffers buffers
}

// Stages are the corridor of the list of one kind.
func (l *Lists) Stages(kind gateway.Kind) []call.Stage {
	return []call.Stage{
		{Name: "gather", Needs: []call.Fact{call.FactRequest}, Sets: []call.Fact{call.FactGathered},
			Run: func(_ context.Context, c *call.Call) error {
				c.Catalog = l.Sight.Catalog()
				c.Listed.Kind, c.Listed.Items = kind, c.Catalog.Items(kind, c.Scope)
				return nil
			}},
		{Name: "visible", Needs: []call.Fact{call.FactGathered, call.FactPrincipal}, Sets: []call.Fact{call.FactOffered}, Run: l.offer},
		{Name: "page", Needs: []call.Fact{call.FactOffered}, Sets: []call.Fact{call.FactPage}, Run: l.page},
		{Name: "note", Needs: []call.Fact{call.FactPage}, Settle: l.Record.Note},
	}
}

// offer takes the principal's view of everything.
func (l *Lists) offer(ctx context.Context, c *call.Call) (err error) {
	c.View, c.Listed.Cached, err = l.Sight.View(ctx, c)
	return err
}

// member is what the list of a kind is called in its result.
func member(kind gateway.Kind) string {
	switch kind {
	case gateway.KindPrompt:
		return "prompts"
	case gateway.KindResource:
		return "resources"
	case gateway.KindTemplate:
		return "resourceTemplates"
	default:
		return "tools"
	}
}

// mostParts is how many parts an answer is sent in; one of more is copied together.
const mostParts = 64

// page renders one page from the fragments that all principals share.
func (l *Lists) page(_ context.Context, c *call.Call) error {
	from, err := l.start(c)
	if err != nil {
		return err
	}
	items, limit := c.Listed.Items, c.World.Limits.Page
	t := l.texts.of(c)
	seen := t.seen(items, c.View, limit)
	c.Listed.Offer = &seen.record
	p := seen.first
	if from > 0 {
		p = t.page(from, limit, func(i int) bool { return c.View.Has(items[i].Index) })
	}
	if p.next > 0 {
		c.Listed.Next = cursor.Seal(l.Keys, place(c), nameIn(items[p.next], c.Scope))
	}
	r := protocol.AppendResponseHead(make([]byte, 0, 640+len(c.Request.ID)), c.Request.ID)
	r = append(r, '{')
	if c.Era == audit.Modern {
		r = append(r, `"resultType":"complete",`...)
	}
	r = append(append(append(r, '"'), member(c.Listed.Kind)...), `":[`...)
	head := len(r)
	r = l.end(c, r)
	if len(p.parts) <= mostParts {
		c.Rendered = call.Rendered{Response: r[:head:head], Rest: append(p.parts[:len(p.parts):len(p.parts)], r[head:])}
		return nil
	}
	whole, spent := l.buffers.take(p.size + len(r))
	whole = append(whole, r[:head]...)
	for _, part := range p.parts {
		whole = append(whole, part...)
	}
	c.Rendered = call.Rendered{Response: append(whole, r[head:]...), Spent: spent}
	return nil
}

// end appends what stands behind the items of a page.
func (l *Lists) end(c *call.Call, r []byte) []byte {
	r = append(r, ']')
	if c.Listed.Next != "" {
		r = protocol.AppendString(append(r, `,"nextCursor":`...), c.Listed.Next)
	}
	if c.Era == audit.Modern {
		r = present.AppendCacheHints(append(r, ','), c.World.Limits.ListTTL)
		r = l.Hop.AppendMeta(append(r, `,"_meta":`...))
	}
	return append(r, '}', '}')
}

// start finds where a page begins. A cursor names the first item of its page,
// sealed for this principal and endpoint; it stays good when the list changes,
// since items are sorted by name.
func (l *Lists) start(c *call.Call) (int, error) {
	raw, ok := protocol.Member(c.Request.Params, "cursor")
	if !ok {
		return 0, nil
	}
	given, ok := protocol.Text(raw)
	if !ok {
		return 0, gateway.Wrong(gateway.CodeInvalidParams, "/params/cursor")
	}
	name, err := cursor.Open(l.Keys, place(c), given)
	if err != nil {
		return 0, err
	}
	return sort.Search(len(c.Listed.Items), func(i int) bool {
		return nameIn(c.Listed.Items[i], c.Scope) >= name
	}), nil
}

// place is what cursors of the list are good for.
func place(c *call.Call) cursor.Place {
	return cursor.Place{Kind: c.Listed.Kind, Scope: c.Scope, Principal: c.Principal.ID()}
}

// nameIn is what an item is called on an endpoint: its own name on that of its
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
