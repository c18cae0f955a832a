package registry

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry/listed"
)

// Snapshot is what is served at one moment. It is immutable: a call resolves in
// one snapshot and keeps it, whatever is published meanwhile.
type Snapshot struct {
	revision     uint64
	exposure     string
	tables       map[shelf]*table
	all          []*Item // by Index
	awaited      []*Item // by Index less the number of all
	observations []Observation
	instructions map[string][]byte // by upstream: those that were reviewed
	superseded   chan struct{}     // shared by all snapshots of a revision
}

// shelf is where one kind stands for one endpoint: scope "" is that for all
// upstreams, else one upstream's id.
type shelf struct {
	kind  gateway.Kind
	scope string
}

// table is what one endpoint serves of one kind. Names that are known but not served stand
// in it too, so that resolving them is the same work.
type table struct {
	names map[string]entry
	items []*Item // sorted by the name that this scope gives them
}

type entry struct {
	item    *Item
	reason  gateway.Reason // why there is none
	exposed string         // what hosts of the endpoint for all would call it
	awaited *Item          // what it will mean, as far as reviews say; nil = nothing
}

// Item is one thing that is served. It is shared between calls and not to be
// written.
type Item struct {
	ID          gateway.ItemID
	Exposed     string // its name on the endpoint for all upstreams
	Definition  *Definition
	Record      *Record // nil when its upstream is trusted without review
	Facts       *gateway.ExposureFacts
	Findings    []gateway.Finding
	State       gateway.ExposureState // approved or deprecated
	Fragment    []byte                // its rendering for hosts under Exposed
	OwnFragment []byte                // its rendering under its own name, for the upstream's own endpoint
	Index       int                   // unique in this snapshot, from 0: for bit sets
}

// Spelled returns what the upstream itself calls the resource of a normalised URI
// that resolved to the item: of a listed resource the spelling in its pinned
// definition, of a template the normal form that was judged.
func (t *Item) Spelled(normalized string) string {
	if t.ID.Kind != gateway.KindResource {
		return normalized
	}
	raw, _ := protocol.Member(t.Definition.Raw, "uri")
	own, _ := protocol.Text(raw)
	return own
}

// Pinned proves that something was resolved: a served item, with the definition
// that a reviewer approved. Only Resolve and ResolveURI make one; the zero value
// proves nothing and is refused wherever one is needed.
type Pinned struct {
	item     *Item
	revision uint64
}

// Valid says whether p was resolved.
func (p Pinned) Valid() bool { return p.item != nil }

// Item returns the item; nil for the zero value.
func (p Pinned) Item() *Item { return p.item }

// Revision returns the revision of the snapshot in which p was resolved.
func (p Pinned) Revision() uint64 { return p.revision }

// Revision counts the changes of what is served: equal revisions of one
// registry serve the same tools, rendered alike, under the same indexes.
func (s *Snapshot) Revision() uint64 { return s.revision }

// Superseded is closed once a snapshot of another revision holds. Who takes a
// snapshot, looks at it and then waits here misses no change of what is served.
func (s *Snapshot) Superseded() <-chan struct{} { return s.superseded }

// Exposure returns the revision of the reviewers' records that hold.
func (s *Snapshot) Exposure() string { return s.exposure }

// Items returns what is served of a kind: for scope "" of all upstreams, sorted
// by exposed name, else of that upstream, sorted by its own names. The slice is
// shared and not to be written.
func (s *Snapshot) Items(kind gateway.Kind, scope string) []*Item {
	if t := s.tables[shelf{kind, scope}]; t != nil {
		return t.items
	}
	return nil
}

// Instructions returns what an upstream tells models, a raw JSON string, where a
// reviewer saw that very text and nothing of the upstream changed since; else nil.
func (s *Snapshot) Instructions(upstream string) []byte { return s.instructions[upstream] }

func (s *Snapshot) told(upstream string, instructions []byte) {
	if s.instructions == nil {
		s.instructions = make(map[string][]byte)
	}
	s.instructions[upstream] = instructions
}

// All returns everything that is served, by Index.
func (s *Snapshot) All() []*Item { return s.all }

// Awaited returns what was reviewed of upstreams that gave no list yet, by Index, which
// goes on behind that of All. Nothing of it is served: of each its review is known, and
// its definition by digest alone.
func (s *Snapshot) Awaited() []*Item { return s.awaited }

// Await returns what a name will mean once its upstream gives its list, or nil.
func (s *Snapshot) Await(kind gateway.Kind, scope, name string) *Item {
	if t := s.tables[shelf{kind, scope}]; t != nil {
		return t.names[name].awaited
	}
	return nil
}

// Resolve returns what a name means in a scope, byte for byte, or why it means
// nothing. A host must not learn which reason it was: absent and held back are
// the same work here and must be the same answer.
func (s *Snapshot) Resolve(kind gateway.Kind, scope, name string) (Pinned, gateway.Reason) {
	var found entry
	if t := s.tables[shelf{kind, scope}]; t != nil {
		found = t.names[name]
	}
	switch {
	case found.item != nil:
		return Pinned{item: found.item, revision: s.revision}, ""
	case found.reason != "":
		return Pinned{}, found.reason
	default:
		return Pinned{}, gateway.ReasonToolAbsent
	}
}

// Known returns the exposed name of what a name stands for in a scope, served or not:
// of what is listed, and of what was reviewed and is not listed. "" is a name that
// nobody but the caller gave. It is for records, and never for a host.
func (s *Snapshot) Known(kind gateway.Kind, scope, name string) string {
	if t := s.tables[shelf{kind, scope}]; t != nil {
		return t.names[name].exposed
	}
	return ""
}

// miss enters a record of which nothing is listed: its name is known, and means
// nothing, or nothing yet.
func (s *Snapshot) miss(id gateway.ItemID, awaited *Item) {
	if id.Kind != gateway.KindTool && id.Kind != gateway.KindPrompt {
		return
	}
	e := entry{reason: gateway.ReasonToolAbsent, exposed: listed.Exposed(id), awaited: awaited}
	if awaited != nil {
		s.awaited = append(s.awaited, awaited)
	}
	for scope, name := range map[string]string{id.Upstream: id.Name, "": e.exposed} {
		t := s.table(shelf{id.Kind, scope})
		if _, taken := t.names[name]; !taken {
			t.names[name] = e
		}
	}
}

// ResolveURI returns the resource that a normalised URI names, or else the first
// template, by name, that it fits. A resource that is known but held back is not
// reached through a template.
func (s *Snapshot) ResolveURI(scope, normalized string) (Pinned, gateway.Reason) {
	p, reason := s.Resolve(gateway.KindResource, scope, normalized)
	if reason != gateway.ReasonToolAbsent {
		return p, reason
	}
	for _, item := range s.Items(gateway.KindTemplate, scope) {
		if item.Definition.Template.Matches(normalized) {
			return Pinned{item: item, revision: s.revision}, ""
		}
	}
	return Pinned{}, reason
}

// ReachURI is ResolveURI for somebody who sees but some of it, by Index. Where the
// template that a URI fits first is hidden, the first that is seen is meant: what
// others are offered must not decide what this one reaches. What is returned may
// be hidden all the same.
func (s *Snapshot) ReachURI(scope, normalized string, sees func(index int) bool) (Pinned, gateway.Reason) {
	p, reason := s.ResolveURI(scope, normalized)
	if reason != "" || p.item.ID.Kind != gateway.KindTemplate || sees(p.item.Index) {
		return p, reason
	}
	for _, item := range s.Items(gateway.KindTemplate, scope) {
		if sees(item.Index) && item.Definition.Template.Matches(normalized) {
			return Pinned{item: item, revision: s.revision}, ""
		}
	}
	return p, ""
}

// Holds says whether this snapshot still serves what was resolved in an earlier
// one with the very same definition: "" if so, else why not.
func (s *Snapshot) Holds(p Pinned) gateway.Reason {
	if !p.Valid() {
		return gateway.ReasonToolAbsent
	}
	now, reason := s.Resolve(p.item.ID.Kind, p.item.ID.Upstream, p.item.ID.Name)
	if reason != "" {
		return reason
	}
	if now.item.Definition.Digest != p.item.Definition.Digest {
		return gateway.ReasonDefinitionChanged
	}
	return ""
}

// file enters the candidates into the tables of their scopes. A URI that several
// upstreams serve is each one's on its own endpoint and nobody's on the one for
// all; one that a single upstream serves is not lost to another that merely
// lists it.
func (s *Snapshot) file(all []candidate) {
	shared := make(map[exposed][]entry)
	for i := range all {
		c := &all[i]
		if c.Exposed == "" {
			continue // what has no name can't be called
		}
		e := entry{item: c.item(), exposed: c.Exposed}
		if e.item == nil {
			e.reason = c.Reasons[0]
		} else {
			s.all = append(s.all, e.item)
		}
		s.table(shelf{c.ID.Kind, c.ID.Upstream}).enter(c.ID.Name, e)
		name := exposed{c.ID.Kind, c.Exposed}
		shared[name] = append(shared[name], e)
	}
	for name, entries := range shared {
		s.table(shelf{name.kind, ""}).enter(name.name, only(entries))
	}
	s.order()
}

// only returns the one entry that is served, if there is exactly one.
func only(entries []entry) entry {
	found := entries[0]
	for _, e := range entries[1:] {
		switch {
		case e.item != nil && found.item != nil:
			return entry{reason: gateway.ReasonNameCollision, exposed: found.exposed}
		case e.item != nil:
			found = e
		}
	}
	return found
}

// order sorts the tables by the names that they give, and numbers what is served.
func (s *Snapshot) order() {
	for at, t := range s.tables {
		slices.SortFunc(t.items, func(a, b *Item) int {
			if at.scope == "" {
				return strings.Compare(a.Exposed, b.Exposed)
			}
			return strings.Compare(a.ID.Name, b.ID.Name)
		})
	}
	slices.SortFunc(s.all, func(a, b *Item) int {
		return cmp.Or(
			cmp.Compare(a.ID.Kind, b.ID.Kind), strings.Compare(a.Exposed, b.Exposed), strings.Compare(a.ID.Upstream, b.ID.Upstream))
	})
	for i, item := range s.all {
		item.Index = i
	}
}

func (s *Snapshot) table(at shelf) *table {
	t := s.tables[at]
	if t == nil {
		t = &table{names: map[string]entry{}}
		s.tables[at] = t
	}
	return t
}

func (t *table) enter(name string, e entry) {
	t.names[name] = e
	if e.item != nil {
		t.items = append(t.items, e.item)
	}
}

// item returns what is served, or nil if the candidate is not.
func (c *candidate) item() *Item {
	if !c.State.Served() {
		return nil
	}
	t := &Item{
		ID: c.ID, Exposed: c.Exposed, Definition: c.Definition, Facts: &c.shown.facts, Findings: c.Findings, State: c.State,
		Fragment: c.shown.exposed, OwnFragment: c.shown.own,
	}
	if !c.Trusted {
		t.Record = c.Record
	}
	return t
}

// sameServed says whether two snapshots serve the same, so that whatever was
// derived from one holds for the other.
func sameServed(a, b *Snapshot) bool {
	return len(a.all) == len(b.all) && slices.EqualFunc(slices.Concat(a.all, a.awaited), slices.Concat(b.all, b.awaited), func(x, y *Item) bool {
		return x.ID == y.ID && x.Exposed == y.Exposed &&
			x.Definition.Digest == y.Definition.Digest &&
			slices.Equal(x.Findings, y.Findings) && bytes.Equal(x.Fragment, y.Fragment) && bytes.Equal(x.OwnFragment, y.OwnFragment) &&
			reflect.DeepEqual(x.Facts, y.Facts)
	})
}
