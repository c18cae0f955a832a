package registry

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// ContextKey names one authorization context: the SHA-256 over all that
// visibility may depend on, such as the principal's identity, scopes, groups
// and how it was established. Two contexts that could see different tools must
// have different keys.
type ContextKey [32]byte

// ListSum is the first half of a SHA-256 over the names of a list, for events:
// enough to tell lists apart, and half the memory for each principal.
type ListSum [16]byte

// View is what one authorization context may see of one snapshot. It is
// immutable and holds indexes only, no tool; the zero value sees nothing.
type View struct{ v *view }

// view takes 144 bytes at 300 tools. Its key is kept whole because the cache
// finds it by the first 8 bytes only.
type view struct {
	key               ContextKey
	generation        uint32
	expires           uint32 // seconds after the cache was made
	visible           []uint64
	offered, withheld ListSum
}

// Sees says whether the tool of that index is visible.
func (w View) Sees(index int) bool {
	if w.v == nil || index < 0 || index/64 >= len(w.v.visible) {
		return false
	}
	return w.v.visible[index/64]&(1<<(index%64)) != 0
}

// Count returns how many tools are visible.
func (w View) Count() int {
	n := 0
	if w.v != nil {
		for _, word := range w.v.visible {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// Offered and Withheld return what was remembered of the lists of visible and
// of hidden tools.
func (w View) Offered() ListSum {
	if w.v == nil {
		return ListSum{}
	}
	return w.v.offered
}

// Withheld returns the sum over what was hidden.
func (w View) Withheld() ListSum {
	if w.v == nil {
		return ListSum{}
	}
	return w.v.withheld
}

// ViewKey says for what a view holds. A view is never returned for another.
type ViewKey struct {
	Context  ContextKey
	Snapshot uint64 // Snapshot.Revision
	Policy   string // the policy's revision
}

// ViewOptions bound the cache. Zero values take the defaults.
type ViewOptions struct {
	Size  int           // authorization contexts; default 100,000: 25 MB at 300 tools
	TTL   time.Duration // default 5 minutes, at least 1 second
	Clock func() time.Time
}

// Views is the private list cache: who may see what, for as long as snapshot
// and policy are those that it was decided by. It is safe for concurrent use.
type Views struct {
	ttl   time.Duration
	clock func() time.Time
	epoch time.Time
	cache *lru.Cache[uint64, *view]

	mu  sync.RWMutex
	now generation
}

// generation is one pair of revisions. Only views of the newest one count, so
// a change of either makes all others stale at once, without visiting them.
type generation struct {
	id       uint32 // 0 = none yet
	snapshot uint64
	policy   string
}

// NewViews returns an empty cache.
func NewViews(opts ViewOptions) (*Views, error) {
	if opts.Size == 0 {
		opts.Size = 100_000
	}
	if opts.TTL == 0 {
		opts.TTL = 5 * time.Minute
	}
	if opts.TTL < time.Second {
		return nil, errors.New("registry: a view must hold for a second at least")
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	cache, err := lru.New[uint64, *view](opts.Size)
	if err != nil {
		return nil, err
	}
	return &Views{ttl: opts.TTL, clock: opts.Clock, epoch: opts.Clock(), cache: cache}, nil
}

// Get returns the view that was remembered for exactly this key, unless it has
// expired. It allocates nothing.
func (vs *Views) Get(k ViewKey) (View, bool) {
	id := vs.generationOf(k)
	if id == 0 {
		return View{}, false
	}
	v, ok := vs.cache.Get(slot(k.Context))
	if !ok || v.generation != id || v.key != k.Context || vs.second() >= int64(v.expires) {
		return View{}, false
	}
	return View{v}, true
}

// Put remembers which tools a context may see, by their index in the snapshot,
// and returns the view. One for an older snapshot than the newest that was seen
// is returned but not kept.
func (vs *Views) Put(k ViewKey, visible []bool, offered, withheld ListSum) View {
	v := &view{key: k.Context, visible: make([]uint64, (len(visible)+63)/64), offered: offered, withheld: withheld}
	for i, see := range visible {
		if see {
			v.visible[i/64] |= 1 << (i % 64)
		}
	}
	if v.generation = vs.advance(k); v.generation != 0 {
		v.expires = uint32(vs.second() + int64(vs.ttl/time.Second))
		vs.cache.Add(slot(k.Context), v)
	}
	return View{v}
}

// Len returns how many views are held, stale ones included.
func (vs *Views) Len() int { return vs.cache.Len() }

// generationOf returns the newest generation if the key is of it, else 0.
func (vs *Views) generationOf(k ViewKey) uint32 {
	vs.mu.RLock()
	defer vs.mu.RUnlock()
	return vs.now.match(k)
}

// advance returns the key's generation, beginning it if it is new; 0 if the
// key's snapshot is older than the newest.
func (vs *Views) advance(k ViewKey) uint32 {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if id := vs.now.match(k); id != 0 {
		return id
	}
	if k.Snapshot < vs.now.snapshot {
		return 0
	}
	vs.now = generation{id: vs.now.id + 1, snapshot: k.Snapshot, policy: k.Policy}
	return vs.now.id
}

func (g *generation) match(k ViewKey) uint32 {
	if g.snapshot == k.Snapshot && g.policy == k.Policy {
		return g.id
	}
	return 0
}

// second counts from the cache's making, so that it fits 32 bits.
func (vs *Views) second() int64 { return int64(vs.clock().Sub(vs.epoch) / time.Second) }

// slot is where a context is looked up. The key is a digest, so its first bytes
// are as good as any; contexts that meet there only displace each other.
func slot(key ContextKey) uint64 { return binary.LittleEndian.Uint64(key[:8]) }
