package lists

import (
	"sync"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// text is what the list of one kind and scope says where nothing is hidden: the
// fragments of all its items, in their order, with commas between. It is shared and
// never written again; what a principal may see of it is told as parts of it, so that
// no answer copies them.
type text struct {
	bytes     []byte
	ends      []int // where each item's fragment ends
	sightings atomic.Pointer[[]*sighting]
}

func newText(items []*registry.Item, scope string) *text {
	size := 0
	for _, t := range items {
		size += len(fragment(t, scope)) + 1
	}
	made := &text{bytes: make([]byte, 0, size), ends: make([]int, len(items))}
	for i, t := range items {
		if i > 0 {
			made.bytes = append(made.bytes, ',')
		}
		made.bytes = append(made.bytes, fragment(t, scope)...)
		made.ends[i] = len(made.bytes)
	}
	return made
}

// begins returns where the fragment of an item begins.
func (t *text) begins(item int) int {
	if item == 0 {
		return 0
	}
	return t.ends[item-1] + 1
}

// sighting is what somebody sees of a text: all who see the same share it.
type sighting struct {
	view   views.View
	first  page // from the beginning, of as many items as limit
	limit  int
	record call.Offer
}

// mostSightings bounds what is kept of one text. Principals of one role see the same.
const mostSightings = 64

// seen returns what a view shows of the text.
func (t *text) seen(items []*registry.Item, v views.View, limit int) *sighting {
	have := t.sightings.Load()
	if have != nil {
		for _, s := range *have {
			if s.limit == limit && s.view.Equal(v) {
				return s
			}
		}
	}
	s := &sighting{view: v, limit: limit, record: call.NewOffer(items, v)}
	s.first = t.page(0, limit, func(i int) bool { return v.Has(items[i].Index) })
	var kept []*sighting
	if have != nil && len(*have) < mostSightings {
		kept = append(kept, *have...)
	}
	kept = append(kept, s)
	t.sightings.CompareAndSwap(have, &kept) // who comes second is made again the next time
	return s
}

// page is a part of a list that somebody may see.
type page struct {
	parts [][]byte // of the text; commas stand between
	size  int      // of all parts, in bytes
	next  int      // the first item that is left for another page; 0 = none
}

// page takes from an item on as many as limit of those that are seen.
func (t *text) page(from, limit int, sees func(item int) bool) (p page) {
	first, last, shown := 0, -1, 0 // of the run that is open
	for i := from; i < len(t.ends); i++ {
		if !sees(i) {
			continue
		}
		if shown == limit {
			p.next = i
			break
		}
		if shown == 0 {
			first = i
		} else if last != i-1 {
			p.add(t.bytes[t.begins(first) : t.ends[last]+1])
			first = i
		}
		last = i
		shown++
	}
	if shown > 0 {
		p.add(t.bytes[t.begins(first):t.ends[last]])
	}
	return p
}

func (p *page) add(part []byte) {
	p.parts = append(p.parts, part[:len(part):len(part)])
	p.size += len(part)
}

// texts keeps those of the newest catalog.
type texts struct{ newest atomic.Pointer[library] }

type library struct {
	of    *call.Catalog
	texts sync.Map // *text by shelf
}

type shelf struct {
	kind  gateway.Kind
	scope string
}

// of returns the text of the list that is asked for. Two calls that miss it at once
// both make it; the result is the same.
func (k *texts) of(c *call.Call) *text {
	have := k.newest.Load()
	if have == nil || have.of != c.Catalog {
		have = &library{of: c.Catalog}
		k.newest.Store(have)
	}
	at := shelf{c.Listed.Kind, c.Scope}
	if made, ok := have.texts.Load(at); ok {
		return made.(*text)
	}
	made := newText(c.Listed.Items, c.Scope)
	have.texts.Store(at, made)
	return made
}
