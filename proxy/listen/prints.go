package listen

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
)

// topic is one kind of list as the protocol tells of it: resources and their
// templates are one.
type topic struct {
	member string // of the filter
	method string // of the notification
	kinds  []gateway.Kind
	of     func(*call.Subscription) *bool
}

// topics are in the order in which they are told.
var topics = [...]topic{
	{"toolsListChanged", protocol.NotificationToolsChanged, []gateway.Kind{gateway.KindTool},
		func(s *call.Subscription) *bool { return &s.Tools }},
	{"promptsListChanged", protocol.NotificationPromptsChanged, []gateway.Kind{gateway.KindPrompt},
		func(s *call.Subscription) *bool { return &s.Prompts }},
	{"resourcesListChanged", protocol.NotificationResourcesChanged, []gateway.Kind{gateway.KindResource, gateway.KindTemplate},
		func(s *call.Subscription) *bool { return &s.Resources }},
}

// digest stands for what one principal sees of one topic.
type digest [sha256.Size]byte

// Memory is what a host was told last, or saw when it began to listen. The zero
// value remembers nothing. It is safe for concurrent use, so that it may outlast
// a stream.
type Memory struct {
	mu   sync.Mutex
	seen [len(topics)]digest
	any  bool
}

func (m *Memory) knows() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.any
}

// learn remembers what is seen now and returns which topics became different
// since; none the first time.
func (m *Memory) learn(now [len(topics)]digest) (different [len(topics)]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range now {
		different[i] = m.any && now[i] != m.seen[i]
	}
	m.seen, m.any = now, true
	return different
}

// prints are digests of each item's renderings, made once per snapshot and shared
// by all who look at it.
type prints struct {
	snapshot     *registry.Snapshot
	exposed, own []digest // by Item.Index
}

// printer keeps the prints of the newest snapshot.
type printer struct{ kept atomic.Pointer[prints] }

// of returns the prints of a snapshot. Two that find none at once both make them;
// the result is the same.
func (p *printer) of(s *registry.Snapshot) *prints {
	if have := p.kept.Load(); have != nil && have.snapshot == s {
		return have
	}
	all := s.All()
	made := &prints{snapshot: s, exposed: make([]digest, len(all)), own: make([]digest, len(all))}
	for i, item := range all {
		made.exposed[i], made.own[i] = sha256.Sum256(item.Fragment), sha256.Sum256(item.OwnFragment)
	}
	p.kept.Store(made)
	return made
}

// seen digests what a view shows of each topic on an endpoint.
func (p *prints) seen(v views.View, scope string) (all [len(topics)]digest) {
	by := p.own
	if scope == "" {
		by = p.exposed
	}
	for i := range topics {
		h := sha256.New()
		for _, kind := range topics[i].kinds {
			visible(v, p.snapshot.Items(kind, scope), func(index int) { h.Write(by[index][:]) })
			h.Write([]byte(kind)) // where one kind ends
		}
		h.Sum(all[i][:0])
	}
	return all
}

// visible yields the index of each item that a view shows.
func visible(v views.View, items []*registry.Item, yield func(index int)) {
	for _, item := range items {
		if v.Has(item.Index) {
			yield(item.Index)
		}
	}
}
