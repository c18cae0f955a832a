package views

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// ContextKey names one authorization context: the SHA-256 over all that
// visibility may depend on, such as the principal's identity, scopes, groups
// and how it was established. Two contexts that could see different tools must
// have different keys.
type ContextKey [32]byte

// View is what one authorization context may see of one snapshot under one
// policy. It holds indexes only, no tool; the zero value sees nothing.
type View struct {
	visible  []uint64 // never written after it was made
	snapshot uint64
	policy   string
}

// New returns a view of the snapshot of a revision in which visible[i] says
// whether the item of Index i may be seen; policy is the revision that said so.
func New(snapshot uint64, policy string, visible []bool) View {
	v := View{visible: make([]uint64, (len(visible)+63)/64), snapshot: snapshot, policy: policy}
	for i, see := range visible {
		if see {
			v.visible[i/64] |= 1 << (i % 64)
		}
	}
	return v
}

// Has says whether the tool of that Index is visible.
func (v View) Has(index int) bool {
	return index >= 0 && index/64 < len(v.visible) && v.visible[index/64]&(1<<(index%64)) != 0
}

// Equal says whether both see the same items of one snapshot, whoever decided it.
func (v View) Equal(w View) bool {
	return v.snapshot == w.snapshot && slices.Equal(v.visible, w.visible)
}

// Beyond says whether v sees an item that none of the others does.
func (v View) Beyond(others ...View) bool {
	for i, word := range v.visible {
		for _, w := range others {
			if i < len(w.visible) {
				word &^= w.visible[i]
			}
		}
		if word != 0 {
			return true
		}
	}
	return false
}

// Count returns how many tools are visible.
func (v View) Count() int {
	n := 0
	for _, word := range v.visible {
		n += bits.OnesCount64(word)
	}
	return n
}

// kept is a view as the cache holds it: 112 bytes at 300 tools, about 215 with
// what the cache itself takes. Its key is kept whole because it is looked up by
// the first 8 bytes only.
type kept struct {
	key        ContextKey
	generation uint32
	expires    uint32 // seconds after the cache was made
	visible    []uint64
}

// Options bound the cache. Zero values take the defaults.
type Options struct {
	Size  int           // authorization contexts; default 100,000: 22 MB at 300 tools
	TTL   time.Duration // default 5 minutes, from 1 second to 1 day
	Clock func() time.Time
}

// Cache is the private list cache: who may see what, for as long as snapshot
// and policy are those that it was decided by. It is safe for concurrent use.
type Cache struct {
	ttl   time.Duration
	clock func() time.Time
	epoch time.Time
	cache *lru.Cache[uint64, *kept]

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

// NewCache returns an empty cache.
func NewCache(opts Options) (*Cache, error) {
	if opts.Size == 0 {
		opts.Size = 100_000
	}
	if opts.TTL == 0 {
		opts.TTL = 5 * time.Minute
	}
	if opts.TTL < time.Second || opts.TTL > 24*time.Hour {
		return nil, errors.New("a view must hold for a second at least and for a day at most")
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	cache, err := lru.New[uint64, *kept](opts.Size)
	if err != nil {
		return nil, err
	}
	return &Cache{ttl: opts.TTL, clock: opts.Clock, epoch: opts.Clock(), cache: cache}, nil
}

// Get returns the view that was remembered for this context under exactly these
// revisions of snapshot and policy, unless it has expired. It allocates nothing.
func (vs *Cache) Get(key ContextKey, snapshot uint64, policy string) (View, bool) {
	id := vs.generationOf(snapshot, policy)
	if id == 0 {
		return View{}, false
	}
	k, ok := vs.cache.Get(slot(key))
	if !ok || k.generation != id || k.key != key || vs.second() >= int64(k.expires) {
		return View{}, false
	}
	return View{visible: k.visible, snapshot: snapshot, policy: policy}, true
}

// Put remembers a context's view. One of an older snapshot than the newest that
// was seen comes too late and is not kept.
func (vs *Cache) Put(key ContextKey, v View) {
	id := vs.advance(v.snapshot, v.policy)
	if id == 0 {
		return
	}
	vs.cache.Add(slot(key), &kept{
		key: key, generation: id, visible: v.visible,
		expires: uint32(vs.second() + int64(vs.ttl/time.Second)),
	})
}

// Len returns how many views are held, stale ones included.
func (vs *Cache) Len() int { return vs.cache.Len() }

// generationOf returns the newest generation if it is of these revisions, else 0.
func (vs *Cache) generationOf(snapshot uint64, policy string) uint32 {
	vs.mu.RLock()
	defer vs.mu.RUnlock()
	return vs.now.match(snapshot, policy)
}

// advance returns the generation of these revisions, beginning it if it is new;
// 0 if the snapshot is older than the newest.
func (vs *Cache) advance(snapshot uint64, policy string) uint32 {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if id := vs.now.match(snapshot, policy); id != 0 {
		return id
	}
	if snapshot < vs.now.snapshot {
		return 0
	}
	vs.now = generation{id: vs.now.id + 1, snapshot: snapshot, policy: policy}
	return vs.now.id
}

func (g *generation) match(snapshot uint64, policy string) uint32 {
	if g.snapshot == snapshot && g.policy == policy {
		return g.id
	}
	return 0
}

// second counts from the cache's making, so that it fits 32 bits.
func (vs *Cache) second() int64 { return int64(vs.clock().Sub(vs.epoch) / time.Second) }

// slot is where a context is looked up. The key is a digest, so its first bytes
// are as good as any; contexts that meet there only displace each other.
func slot(key ContextKey) uint64 { return binary.LittleEndian.Uint64(key[:8]) }
