package views

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

func newViews(t testing.TB, opts Options) *Cache {
	t.Helper()
	vs, err := NewCache(opts)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func contextKey(i int) ContextKey { return sha256.Sum256(fmt.Append(nil, i)) }

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestView(t *testing.T) {
	visible := make([]bool, 130)
	visible[0], visible[63], visible[64], visible[129] = true, true, true, true
	v := New(1, "p", visible)
	for i := -1; i < 200; i++ {
		if want := i >= 0 && i < len(visible) && visible[i]; v.Has(i) != want {
			t.Errorf("Has(%d) = %v", i, v.Has(i))
		}
	}
	if v.Count() != 4 || (View{}).Has(0) || (View{}).Count() != 0 {
		t.Errorf("Count() = %d", v.Count())
	}
}

func TestViewsAreOfExactlyTheirRevisions(t *testing.T) {
	ck := newClock()
	vs := newViews(t, Options{TTL: time.Minute, Clock: ck.time})
	a, b := contextKey(1), contextKey(2)
	get := func(key ContextKey, snapshot uint64, policy string) bool {
		_, ok := vs.Get(key, snapshot, policy)
		return ok
	}
	if get(a, 0, "") {
		t.Error("an empty cache has a view")
	}
	vs.Put(a, New(1, "p", []bool{true}))
	if !get(a, 1, "p") || get(b, 1, "p") || get(a, 2, "p") || get(a, 0, "p") || get(a, 1, "q") || get(a, 1, "") {
		t.Error("a view was returned for what it does not hold for, or not for what it does")
	}
	vs.Put(b, New(1, "q", nil))
	if get(a, 1, "p") || get(a, 1, "q") || !get(b, 1, "q") {
		t.Error("a view outlived its policy")
	}
	vs.Put(b, New(1, "p", nil)) // the old policy is back; what was decided by it before is not
	if get(a, 1, "p") {
		t.Error("a view came back with its policy")
	}
	vs.Put(a, New(2, "p", nil))
	vs.Put(b, New(1, "p", nil)) // too late
	if get(b, 1, "p") || !get(a, 2, "p") {
		t.Error("a late view of an old snapshot displaced the new ones")
	}
	ck.advance(time.Minute - time.Second)
	if !get(a, 2, "p") {
		t.Error("expired too early")
	}
	if ck.advance(time.Second); get(a, 2, "p") {
		t.Error("did not expire")
	}
}

// Contexts whose keys begin alike displace each other and are never mixed up.
func TestViewsKeepContextsApart(t *testing.T) {
	vs := newViews(t, Options{})
	a := contextKey(1)
	b := a
	b[31]++
	vs.Put(a, New(1, "p", []bool{true}))
	if _, ok := vs.Get(b, 1, "p"); ok {
		t.Error("a view of another context")
	}
	vs.Put(b, New(1, "p", []bool{false}))
	if v, ok := vs.Get(a, 1, "p"); ok {
		t.Errorf("a view of another context: %v", v)
	}
	if v, ok := vs.Get(b, 1, "p"); !ok || v.Has(0) {
		t.Errorf("got %v, %v", v, ok)
	}
}

func TestOptions(t *testing.T) {
	for _, opts := range []Options{{Size: -1}, {TTL: time.Millisecond}, {TTL: 48 * time.Hour}, {TTL: -1}} {
		if _, err := NewCache(opts); err == nil {
			t.Errorf("%+v is taken", opts)
		}
	}
	vs := newViews(t, Options{Size: 2})
	for i := range 5 {
		vs.Put(contextKey(i), New(1, "p", nil))
	}
	if vs.Len() != 2 {
		t.Errorf("%d views are held", vs.Len())
	}
}

// visibleTo is the policy of the tests below: what a context sees depends on
// all three, so that any mix-up shows.
func visibleTo(context int, snapshot uint64, policy string) []bool {
	sum := sha256.Sum256(fmt.Append(nil, context, snapshot, policy))
	visible := make([]bool, 70)
	for i := range visible {
		visible[i] = sum[i%32]>>(i/32)&1 == 1
	}
	return visible
}

// Many goroutines at different revisions, as when a reload overtakes calls in
// flight: a view, wherever it comes from, is the one that policy would give.
func TestViewsAgainstModel(t *testing.T) {
	vs := newViews(t, Options{Size: 16})
	var wg sync.WaitGroup
	hits := make([]int, 4)
	for g := range hits {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(g)))
			for step := range 20_000 {
				context := rng.IntN(24)
				snapshot := uint64(step/500) + rng.Uint64N(2)
				policy := fmt.Sprint("p", step/700)
				v, ok := vs.Get(contextKey(context), snapshot, policy)
				if !ok {
					vs.Put(contextKey(context), New(snapshot, policy, visibleTo(context, snapshot, policy)))
					continue
				}
				hits[g]++
				for i, want := range visibleTo(context, snapshot, policy) {
					if v.Has(i) != want {
						t.Errorf("context %d at %d, %s: tool %d is %v", context, snapshot, policy, i, !want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for g, n := range hits {
		if n == 0 {
			t.Errorf("goroutine %d never hit", g)
		}
	}
}

// 100,000 contexts that all see something different of 300 tools take at most
// 256 bytes each.
func TestViewsMemory(t *testing.T) {
	const contexts = 100_000
	rng := rand.New(rand.NewPCG(3, 4))
	keys := make([]ContextKey, contexts)
	for i := range keys {
		keys[i] = contextKey(i)
	}
	visible := make([]bool, 300)
	vs := newViews(t, Options{Size: contexts})
	before := heap()
	for i := range keys {
		visible[rng.IntN(len(visible))] = rng.IntN(2) == 0
		vs.Put(keys[i], New(1, "p", visible))
	}
	each := float64(heap()-before) / float64(vs.Len())
	runtime.KeepAlive(vs)
	t.Logf("%.0f bytes for each of %d contexts at %d tools", each, vs.Len(), len(visible))
	if each > 256 {
		t.Errorf("%.0f bytes for each context", each)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkViewsGet(b *testing.B) {
	vs := newViews(b, Options{})
	const contexts = 10_000
	keys := make([]ContextKey, contexts)
	for i := range keys {
		keys[i] = contextKey(i)
		vs.Put(keys[i], New(1, "p", make([]bool, 300)))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := vs.Get(keys[i%contexts], 1, "p"); !ok {
			b.Fatal("missed")
		}
	}
}
