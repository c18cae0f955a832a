package sight_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
)

// rules are policies with what they mean, in Go.
type rules struct {
	engine *rego.Engine
	sees   func(p *gateway.Principal, f *gateway.ExposureFacts) bool
}

const (
	byScope = "some id, facts in input.resources\n\tevery s in facts.scopes { s in input.subject.properties.scopes }"
	reads   = "some id, facts in input.resources\n\tfacts.side_effect == \"read\""
	nothing = "some id, _ in input.resources\n\tid == \"nothing/at-all\""
)

func load(t *testing.T, body string, sees func(*gateway.Principal, *gateway.ExposureFacts) bool) rules {
	t.Helper()
	dir := t.TempDir()
	text := "package mcp.gateway\n\nvisible contains id if {\n\t" + body + "\n}\n\nallow if input.action.name == \"tools/call\"\n"
	if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := rego.Load(t.Context(), rego.Options{Dir: dir, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return rules{engine, sees}
}

func holdsAll(p *gateway.Principal, f *gateway.ExposureFacts) bool {
	for _, s := range f.Scopes {
		if !slices.Contains(p.Scopes, s) {
			return false
		}
	}
	return true
}

// principals differ in one thing each: who they are, their tenant, how that was
// established, what they hold.
func principals() []*gateway.Principal {
	var all []*gateway.Principal
	for i := range 24 {
		p := &gateway.Principal{Issuer: "i", Subject: fmt.Sprint("s", i%6), Tenant: []string{"red", "blue", ""}[i%3], Client: "c", Method: gateway.AuthAPIKey}
		if i%2 == 0 {
			p.Method = gateway.AuthStdio
		}
		for j := range 4 {
			if i>>j&1 == 1 {
				p.Scopes = append(p.Scopes, fmt.Sprint("scope", j))
			}
		}
		all = append(all, p)
	}
	return all
}

func definition(name string, version int) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":"version %d","inputSchema":{"type":"object"}}`, name, version)
}

// world is what changes while lists are asked for.
type world struct {
	registry *registry.Registry
	policy   atomic.Pointer[rules]
	all      []rules
}

// stir changes one thing at random.
func (w *world) stir(t *testing.T, r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		w.policy.Store(&w.all[r.IntN(len(w.all))])
	case 1:
		upstream := fmt.Sprint("up", r.IntN(2))
		var tools [][]byte
		for i := range 16 {
			if r.IntN(4) > 0 {
				tools = append(tools, definition(fmt.Sprint("t", i), r.IntN(2)))
			}
		}
		if _, err := w.registry.Publish(upstream, registry.Listing{Tools: tools}); err != nil {
			t.Error(err)
		}
	default:
		w.registry.SetExposure(reviews(w.registry, r))
	}
}

// reviews are records at random: of definitions that are listed and of others.
func reviews(seen *registry.Registry, r *rand.Rand) *registry.Exposure {
	x := &registry.Exposure{Items: map[gateway.ItemID]*registry.Record{}}
	for _, o := range seen.Observations() {
		rec := &registry.Record{Definition: o.Digest, Facts: gateway.ExposureFacts{
			SideEffect: []gateway.SideEffect{gateway.Read, gateway.Write}[r.IntN(2)], Scopes: []string{fmt.Sprint("scope", r.IntN(4))},
		}}
		switch r.IntN(6) {
		case 0:
			rec.Facts.Tenants = []string{[]string{"red", "blue"}[r.IntN(2)]}
		case 1:
			rec.Quarantine = "held"
		case 2:
			continue
		}
		x.Items[o.ID] = rec
	}
	return x
}

// look asks for a list and judges every entry of it.
func (w *world) look(t *testing.T, s *sight.Sight, p *gateway.Principal) (entries int) {
	k, now := s.Catalog(), w.policy.Load()
	v, _, err := s.Of(t.Context(), p, now.engine, k)
	if err != nil {
		t.Error(err)
		return 0
	}
	for i, item := range k.All() {
		f := item.Facts
		want := now.sees(p, f) && (len(f.Tenants) == 0 || p.Tenant != "" && slices.Contains(f.Tenants, p.Tenant))
		if v.Has(i) != want {
			t.Errorf("%+v sees %s: %t, a fresh look says %t", p, item.ID, v.Has(i), want)
		}
		if item.Record == nil || item.Record.Definition != item.Definition.Digest || item.Record.Quarantine != "" {
			t.Errorf("%s is served as it was not reviewed", item.ID)
		}
		entries++
	}
	if v.Has(len(k.All())) {
		t.Error("something beyond the snapshot is visible")
	}
	return entries
}

// TestIsolation changes policies, reviews and lists while many principals ask for
// lists, and holds that none is ever shown an entry that a fresh evaluation of the
// same snapshot and policy would not give, nor kept from one.
func TestIsolation(t *testing.T) {
	w := &world{registry: registry.New(registry.Options{}), all: []rules{
		load(t, byScope, holdsAll),
		load(t, reads, func(_ *gateway.Principal, f *gateway.ExposureFacts) bool { return f.Class() == gateway.Read }),
		load(t, nothing, func(*gateway.Principal, *gateway.ExposureFacts) bool { return false }),
	}}
	w.policy.Store(&w.all[0])
	cache, err := views.NewCache(views.Options{Size: 16}) // fewer than there are contexts
	if err != nil {
		t.Fatal(err)
	}
	s := sight.New(w.registry, cache)
	r := rand.New(rand.NewPCG(7, 11))
	for range 30 {
		w.stir(t, r)
	}
	callers := principals()
	var entries, lists atomic.Int64
	for round := range 60 {
		var wait sync.WaitGroup
		for worker := range 6 {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				for range 12 {
					entries.Add(int64(w.look(t, s, callers[r.IntN(len(callers))])))
					lists.Add(1)
				}
			})
		}
		for range 3 {
			w.stir(t, r)
		}
		wait.Wait()
		for _, p := range callers { // the cache is warm and nothing moves
			entries.Add(int64(w.look(t, s, p)))
			lists.Add(1)
		}
	}
	t.Logf("%d lists, %d entries judged", lists.Load(), entries.Load())
	if entries.Load() < 10_000 {
		t.Errorf("only %d entries were judged", entries.Load())
	}
}
