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
	staff   = "some id, _ in input.resources\n\t\"staff\" in input.subject.properties.groups"
	keys    = "some id, _ in input.resources\n\tinput.subject.properties.auth_method == \"api_key\""
	issued  = "some id, _ in input.resources\n\tinput.subject.properties.issuer == \"i\"\n\tinput.subject.properties.tenant != \"blue\""
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

// principals begin with one and differ from it in one thing each: in every part of who
// they are, in how that was established, in what they hold, and in as what they hold it.
func principals() []*gateway.Principal {
	first := gateway.Principal{
		Issuer: "i", Subject: "s", Tenant: "red", Client: "c", Method: gateway.AuthAPIKey,
		Scopes: []string{"scope0", "scope1"}, Groups: []string{"staff"},
	}
	var all []*gateway.Principal
	for _, change := range []func(*gateway.Principal){
		func(*gateway.Principal) {},
		func(p *gateway.Principal) { p.Tenant = "blue" },
		func(p *gateway.Principal) { p.Tenant = "" },
		func(p *gateway.Principal) { p.Issuer = "other" },
		func(p *gateway.Principal) { p.Subject = "other" },
		func(p *gateway.Principal) { p.Client = "other" },
		func(p *gateway.Principal) { p.Subject, p.Tenant = "s|red", "" }, // parts that run together
		func(p *gateway.Principal) { p.Method = gateway.AuthStdio },
		func(p *gateway.Principal) { p.Groups = nil },
		func(p *gateway.Principal) { p.Groups = []string{"sta", "ff"} },
		func(p *gateway.Principal) { p.Scopes, p.Groups = []string{"scope0"}, []string{"scope1", "staff"} },
		func(p *gateway.Principal) { p.Scopes = []string{"scope0s", "cope1"} },
	} {
		p := first
		change(&p)
		all = append(all, &p)
	}
	for i := range 16 {
		p := first
		p.Scopes = nil
		for j := range 4 {
			if i>>j&1 == 1 {
				p.Scopes = append(p.Scopes, fmt.Sprint("scope", j))
			}
		}
		all = append(all, &p)
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

	lists, cached, entries atomic.Int64
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
func (w *world) look(t *testing.T, s *sight.Sight, p *gateway.Principal) {
	k, now := s.Catalog(), w.policy.Load()
	v, cached, err := s.Of(t.Context(), p, now.engine, k)
	if err != nil {
		t.Error(err)
		return
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
	}
	if v.Has(len(k.All())) {
		t.Error("something beyond the snapshot is visible")
	}
	w.lists.Add(1)
	w.entries.Add(int64(len(k.All())))
	if cached {
		w.cached.Add(1)
	}
}

// TestIsolation changes policies, reviews and lists while many principals ask for
// lists, and holds that none is ever shown an entry that a fresh evaluation of the
// same snapshot and policy would not give, nor kept from one.
func TestIsolation(t *testing.T) {
	for name, size := range map[string]int{"a cache that holds all": 1000, "a cache that holds some": 16} {
		t.Run(name, func(t *testing.T) { isolate(t, size) })
	}
}

func isolate(t *testing.T, size int) {
	w := &world{registry: registry.New(registry.Options{}), all: []rules{
		load(t, byScope, holdsAll),
		load(t, reads, func(_ *gateway.Principal, f *gateway.ExposureFacts) bool { return f.Class() == gateway.Read }),
		load(t, nothing, func(*gateway.Principal, *gateway.ExposureFacts) bool { return false }),
		load(t, staff, func(p *gateway.Principal, _ *gateway.ExposureFacts) bool { return slices.Contains(p.Groups, "staff") }),
		load(t, keys, func(p *gateway.Principal, _ *gateway.ExposureFacts) bool { return p.Method == gateway.AuthAPIKey }),
		load(t, issued, func(p *gateway.Principal, _ *gateway.ExposureFacts) bool {
			return p.Issuer == "i" && p.Tenant != "blue"
		}),
	}}
	w.policy.Store(&w.all[0])
	cache, err := views.NewCache(views.Options{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	s := sight.New(w.registry, cache)
	r := rand.New(rand.NewPCG(7, uint64(size)))
	for range 30 {
		w.stir(t, r)
	}
	callers := principals()
	for round := range 40 {
		var wait sync.WaitGroup
		for worker := range 6 {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				for range 12 {
					w.look(t, s, callers[r.IntN(len(callers))])
				}
			})
		}
		for range 3 {
			w.stir(t, r)
		}
		wait.Wait()
		for range 2 { // what the first round remembers, the second is told: nothing moves
			for _, p := range callers {
				w.look(t, s, p)
			}
		}
		w.stir(t, r) // and one thing alone
		for _, p := range callers {
			w.look(t, s, p)
		}
	}
	t.Logf("%d lists, %d of them from the cache, %d entries judged", w.lists.Load(), w.cached.Load(), w.entries.Load())
	if w.entries.Load() < 10_000 {
		t.Errorf("only %d entries were judged", w.entries.Load())
	}
	if size > len(callers) && w.cached.Load() < w.lists.Load()/4 {
		t.Errorf("only %d of %d lists came from the cache", w.cached.Load(), w.lists.Load())
	}
}
