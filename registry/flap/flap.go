package flap

import (
	"time"

	"mcp-gateway/gateway"
)

const (
	window  = time.Hour // how long a return is remembered
	returns = 2         // returns within the window by which replicas disagree
	most    = 8         // definitions that are remembered of one item
)

// Memory is what was listed lately under each name. The zero value is empty; it is
// not safe for concurrent use.
type Memory struct{ items map[gateway.ItemID]*item }

// item is one name. A definition that is listed again after another one was is a
// return: once is a flap, again and again are replicas that disagree.
type item struct {
	now      gateway.Digest
	before   []gateway.Digest // others that were listed; the newest last
	returned []time.Time
}

// Listed notes that an item was listed with a digest.
func (m *Memory) Listed(id gateway.ItemID, digest gateway.Digest, at time.Time) {
	if m.items == nil {
		m.items = map[gateway.ItemID]*item{}
	}
	it := m.items[id]
	switch {
	case it == nil:
		m.items[id] = &item{now: digest}
		return
	case it.now == digest:
		return
	}
	for i, d := range it.before {
		if d == digest {
			it.before = append(it.before[:i:i], it.before[i+1:]...)
			it.returned = append(it.returned, at)
			break
		}
	}
	it.before = append(it.before, it.now)
	if len(it.before) > most {
		it.before = it.before[1:]
	}
	it.now = digest
}

// Disagree says whether definitions of an item came back so often lately that its
// upstream must be serving several at once.
func (m *Memory) Disagree(id gateway.ItemID, at time.Time) bool {
	it := m.items[id]
	if it == nil {
		return false
	}
	for len(it.returned) > 0 && at.Sub(it.returned[0]) > window {
		it.returned = it.returned[1:]
	}
	return len(it.returned) >= returns
}

// Forget drops what is known of an upstream.
func (m *Memory) Forget(upstream string) {
	for id := range m.items {
		if id.Upstream == upstream {
			delete(m.items, id)
		}
	}
}
