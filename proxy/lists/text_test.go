package lists

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

func itemsOf(n int) []*registry.Item {
	items := make([]*registry.Item, n)
	for i := range items {
		name := fmt.Sprintf("t%d", i)
		items[i] = &registry.Item{
			Exposed: "up__" + name, Index: n - 1 - i, // indexes are no places
			Fragment: fmt.Appendf(nil, `{"name":"up__%s"}`, name), OwnFragment: fmt.Appendf(nil, `{"name":%q}`, name),
		}
	}
	return items
}

// What is told as parts of the shared text is what the fragments say one by one.
func TestPages(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 64, 65, 130} {
		items := itemsOf(n)
		for _, scope := range []string{"", "up"} {
			whole := newText(items, scope)
			before := bytes.Clone(whole.bytes)
			for round := range 200 {
				r := rand.New(rand.NewPCG(uint64(n), uint64(round)))
				visible := make([]bool, n)
				for i := range visible {
					visible[i] = r.IntN(4) > round%5 // from hardly any to all
				}
				v, from, limit := views.New(1, "p", visible), 0, 1+r.IntN(n+2)
				for pages := 0; ; pages++ {
					got := whole.page(from, limit, func(i int) bool { return v.Has(items[i].Index) })
					want, next := oneByOne(items[from:], scope, limit, v)
					if text := string(bytes.Join(got.parts, nil)); text != want || got.size != len(want) {
						t.Fatalf("%d items, from %d, %d at most, of %v:\n%s, wants\n%s", n, from, limit, visible, text, want)
					}
					if next > 0 {
						next += from
					}
					if got.next != next || pages > n {
						t.Fatalf("%d items, from %d, %d at most: goes on at %d, wants %d", n, from, limit, got.next, next)
					}
					if from = got.next; from == 0 {
						break
					}
				}
			}
			if !bytes.Equal(before, whole.bytes) {
				t.Fatal("the shared text was written")
			}
		}
	}
}

func oneByOne(items []*registry.Item, scope string, limit int, v views.View) (text string, next int) {
	var seen []string
	for i, item := range items {
		if !v.Has(item.Index) {
			continue
		}
		if len(seen) == limit {
			next = i
			break
		}
		seen = append(seen, string(fragment(item, scope)))
	}
	return strings.Join(seen, ","), next
}

// Those who see the same share what is kept; nobody else does, and it stays bounded.
func TestSightings(t *testing.T) {
	items := itemsOf(9)
	whole := newText(items, "")
	view := func(bits int) views.View {
		visible := make([]bool, len(items))
		for i := range visible {
			visible[i] = bits>>i&1 == 1
		}
		return views.New(1, fmt.Sprint("policy ", bits%3), visible)
	}
	first := whole.seen(items, view(5), 9)
	if again := whole.seen(items, view(5), 9); again != first || whole.seen(items, view(5), 1) == first {
		t.Error("what is the same is not shared, or what is not is")
	}
	for round := range 3 {
		for bits := range 1 << len(items) {
			v, limit := view(bits), 1+round
			got := whole.seen(items, v, limit)
			want, _ := oneByOne(items, "", limit, v)
			if string(bytes.Join(got.first.parts, nil)) != want || got.record != call.NewOffer(items, v) || int(got.record.Offered) != v.Count() {
				t.Fatalf("%b: %s, wants %s; %+v", bits, bytes.Join(got.first.parts, nil), want, got.record)
			}
			if n := len(*whole.sightings.Load()); n > mostSightings {
				t.Fatalf("%d are kept", n)
			}
		}
	}
}

// A list is of its own catalog, kind and scope.
func TestTexts(t *testing.T) {
	var k texts
	items := itemsOf(3)
	of := func(catalog *call.Catalog, scope string, items []*registry.Item) *text {
		c := &call.Call{Catalog: catalog}
		c.Scope, c.Listed.Items = scope, items
		return k.of(c)
	}
	first, second := &call.Catalog{}, &call.Catalog{}
	a := of(first, "", items)
	if a != of(first, "", items) {
		t.Error("a text is made twice")
	}
	if own := of(first, "up", items); bytes.Equal(own.bytes, a.bytes) {
		t.Error("two endpoints share a text")
	}
	if now := of(second, "", items[:1]); len(now.ends) != 1 {
		t.Error("a text of another catalog is served")
	}
	if again := of(first, "", items); again == a || !bytes.Equal(again.bytes, a.bytes) {
		t.Error("a call under way has its own catalog's")
	}
}
