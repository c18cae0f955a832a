package registry

import (
	"bytes"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/registry/flap"
	"mcp-gateway/registry/identity"
	"mcp-gateway/registry/listed"
)

// MaxItems is how much one upstream may list, of all kinds together.
const MaxItems = 10_000

// Presenter makes the host's rendering of a tool: cleaned text, hints from the
// reviewed facts only. It returns a function that renders it under a given
// name, and what it found suspicious in the definition. An error withholds the
// tool. It is called once for each pair of definition and facts.
type Presenter func(*Definition, *gateway.ExposureFacts) (fragment func(name string) []byte, findings []gateway.Finding, err error)

// Options are what a registry needs from outside.
type Options struct {
	Present Presenter // nil: tools have no fragments
	// Trust says of which upstreams new and changed definitions are served as
	// listed (unsafe_trust_definitions: for test suites). Such tools carry no
	// record and the zero facts, which mean the worst: destructive,
	// irreversible, outbound, open; no scope is asked of the caller. What a
	// reviewer quarantined, and what can't be served safely, stays withheld.
	Trust func(upstream string) bool // nil: none
	// Facts says what the upstream is that gave a list, or with nil what can be known of
	// one before it does. It is compared with what was reviewed, where anything was. nil,
	// or a nil result: nothing is known.
	Facts func(upstream string, l *Listing) *identity.Facts
	Clock func() time.Time // nil: time.Now
}

// Listing is what the lists of one upstream, all their pages, brought. What is
// listed is kept as sent.
type Listing struct {
	Tools        [][]byte
	Prompts      [][]byte
	Resources    [][]byte
	Templates    [][]byte
	TTL          time.Duration
	Partial      bool // not all pages came
	Era          string
	Revision     string
	Instructions []byte // as sent, nil when none; never shown to a host unreviewed
	Capabilities []byte // the object that it declared, as sent; nil when none
}

// of returns what was listed of one kind.
func (l *Listing) of(kind gateway.Kind) [][]byte {
	switch kind {
	case gateway.KindPrompt:
		return l.Prompts
	case gateway.KindResource:
		return l.Resources
	case gateway.KindTemplate:
		return l.Templates
	default:
		return l.Tools
	}
}

// count returns how much was listed.
func (l *Listing) count() int {
	return len(l.Tools) + len(l.Prompts) + len(l.Resources) + len(l.Templates)
}

// list is one upstream's offers as they were last listed. It is replaced, never
// changed.
type list struct {
	info     List
	admitted []*listed.Admission
}

// Registry holds the lists of all upstreams and the reviewers' word on them.
// Readers take the Snapshot and never wait; writers wait for each other.
type Registry struct {
	opts    Options
	current atomic.Pointer[Snapshot]

	mu        sync.Mutex
	lists     map[string]*list
	exposure  *Exposure
	presented map[*Definition]*presentation
	flaps     flap.Memory
	next      time.Time // the next sunset; zero = none
}

// New returns a registry that serves nothing yet.
func New(opts Options) *Registry {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Trust == nil {
		opts.Trust = func(string) bool { return false }
	}
	r := &Registry{opts: opts, lists: map[string]*list{}, presented: map[*Definition]*presentation{}}
	r.current.Store(&Snapshot{superseded: make(chan struct{})})
	return r
}

// Snapshot returns what is served now. It is never nil.
func (r *Registry) Snapshot() *Snapshot { return r.current.Load() }

// Observations returns where every known definition stands, sorted by id.
func (r *Registry) Observations() []Observation {
	return slices.Clone(r.Snapshot().observations)
}

// Seen returns what an upstream lists now, and what it is itself, for History.
func (r *Registry) Seen(upstream string) []Seen {
	var seen []Seen
	for _, o := range r.Snapshot().observations {
		if o.ID.Upstream == upstream && o.ID.Name != "" && o.Definition != nil {
			seen = append(seen, Seen{ID: o.ID, Digest: o.Digest, Raw: o.Definition.Raw, State: o.State, Reasons: o.Reasons})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.lists[upstream]; l != nil {
		u := r.upstream(upstream)
		for name, raw := range map[string][]byte{ItselfIdentity: l.info.Facts, ItselfInstructions: l.info.Instructions} {
			if raw != nil {
				seen = append(seen, u.itself(upstream, name, raw))
			}
		}
	}
	return seen
}

// Lists returns what is known of each upstream's list, sorted by upstream.
func (r *Registry) Lists() []List {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []List
	for _, id := range r.upstreams() {
		all = append(all, r.lists[id].info)
	}
	return all
}

// SetExposure replaces the reviewers' word as a whole. Where that changes what makes up an
// upstream, the upstream is measured anew before it is judged: its identity covers the
// files that its review declares.
func (r *Registry) SetExposure(x *Exposure) Changes {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.exposure
	r.exposure = x
	for id, l := range r.lists {
		if !before.Upstream(id).MeasuresAs(x.Upstream(id)) {
			anew := *l
			anew.info.Measure(r.facts(id, &Listing{Revision: l.info.Revision, Capabilities: l.info.Capabilities}))
			r.lists[id] = &anew
		}
	}
	return r.commit()
}

// Forget drops an upstream that left the configuration. One that is merely down
// keeps its tools: that it does not answer is said when it is called.
func (r *Registry) Forget(upstream string) Changes {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lists, upstream)
	r.flaps.Forget(upstream)
	return r.commit()
}

// Publish takes an upstream's list. A definition of which the bytes are known
// is taken over as it was judged before. A partial list replaces no whole one:
// what it shows is taken, what it does not show stays. Lists of one upstream
// must be published in the order in which they were fetched. On an error,
// CodeTooLarge or CodeInvalidParams, everything stays as it was.
func (r *Registry) Publish(upstream string, l Listing) (Changes, error) {
	if upstream == "" {
		return Changes{}, gateway.Because(gateway.CodeInvalidParams, errors.New("an upstream needs an id"))
	}
	if l.count() > MaxItems {
		return Changes{}, tooMany()
	}
	now := r.opts.Clock()
	admitted := admitAll(upstream, &l, r.admitted(upstream), now)

	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.lists[upstream]
	next := &list{admitted: admitted, info: List{
		Upstream: upstream, Era: l.Era, Revision: l.Revision, Instructions: bytes.Clone(l.Instructions), Capabilities: bytes.Clone(l.Capabilities),
		TTL: l.TTL, At: now, Whole: now,
	}}
	next.info.Measure(r.facts(upstream, &l))
	if l.Partial {
		next.merge(before)
	}
	if len(next.admitted) > MaxItems {
		return Changes{}, tooMany()
	}
	next.info.Items = len(next.admitted)
	r.lists[upstream] = next
	if before != nil && next.info.Identity == before.info.Identity && bytes.Equal(next.info.Instructions, before.info.Instructions) && slices.Equal(before.admitted, next.admitted) && !r.sunset(now) {
		return Changes{Partial: l.Partial, Revision: r.Snapshot().revision}, nil
	}
	for _, a := range next.admitted {
		r.flaps.Listed(a.Def.ID, a.Def.Digest, now)
	}
	c := r.commit()
	c.Partial = l.Partial
	return c, nil
}

// Judge judges everything anew: something that no list and no review says may have
// become different, such as who vouches for a host.
func (r *Registry) Judge() Changes {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commit()
}

// Age judges everything anew if a sunset has come since it was last judged.
func (r *Registry) Age() Changes {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sunset(r.opts.Clock()) {
		return Changes{Revision: r.Snapshot().revision}
	}
	return r.commit()
}

// Sunset returns how long it is until the next sunset, at most most.
func (r *Registry) Sunset(most time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next.IsZero() {
		return most
	}
	return max(0, min(most, r.next.Sub(r.opts.Clock())))
}

// sunset says whether one has come since what is served was last judged.
func (r *Registry) sunset(now time.Time) bool { return !r.next.IsZero() && !now.Before(r.next) }

func tooMany() error {
	return gateway.Because(gateway.CodeTooLarge, errors.New("the upstream lists too much"))
}

// merge keeps, of the list before, what a partial one does not show.
func (l *list) merge(before *list) {
	l.info.Whole = time.Time{}
	if before == nil {
		return
	}
	l.info.Whole = before.info.Whole
	shown := make(map[gateway.ItemID]bool, len(l.admitted))
	for _, a := range l.admitted {
		shown[a.Def.ID] = true
	}
	for _, a := range before.admitted {
		if a.Def.Name != "" && !shown[a.Def.ID] {
			l.admitted = append(l.admitted, a)
		}
	}
}

func (r *Registry) admitted(upstream string) []*listed.Admission {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.lists[upstream]; l != nil {
		return l.admitted
	}
	return nil
}

// admitAll judges a listing, taking over every judgement of the same bytes. Most
// come back as they were, in the same order: that case only compares.
func admitAll(upstream string, l *Listing, known []*listed.Admission, now time.Time) []*listed.Admission {
	all := make([]*listed.Admission, 0, l.count())
	var lookUp func(gateway.Kind, []byte) *listed.Admission
	var desk listed.Desk
	for _, kind := range gateway.Kinds() {
		for _, raw := range l.of(kind) {
			if i := len(all); i < len(known) && known[i].Is(kind, raw) {
				all = append(all, known[i])
				continue
			}
			if lookUp == nil {
				lookUp = indexed(known)
			}
			a := lookUp(kind, raw)
			if a == nil {
				a = desk.Examine(gateway.ItemID{Kind: kind, Upstream: upstream}, raw, now)
			}
			all = append(all, a)
		}
	}
	return all
}

// indexed returns a look-up of admissions by kind and bytes.
func indexed(known []*listed.Admission) func(gateway.Kind, []byte) *listed.Admission {
	seed := maphash.MakeSeed()
	index := make(map[uint64]*listed.Admission, len(known))
	for _, a := range known {
		index[maphash.Bytes(seed, a.Raw)] = a
	}
	return func(kind gateway.Kind, raw []byte) *listed.Admission {
		if a := index[maphash.Bytes(seed, raw)]; a != nil && a.Is(kind, raw) {
			return a
		}
		return nil
	}
}

// upstreams returns the ids of the upstreams that have a list, sorted.
func (r *Registry) upstreams() []string {
	ids := make([]string, 0, len(r.lists))
	for id := range r.lists {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// commit makes the snapshot that follows from lists and exposure and returns
// what it made different. The caller holds the lock.
func (r *Registry) commit() Changes {
	before := r.Snapshot()
	after := r.build()
	r.next = r.exposure.Next(r.opts.Clock())
	after.revision, after.superseded = before.revision, before.superseded
	if !sameServed(before, after) {
		after.revision, after.superseded = after.revision+1, make(chan struct{})
	}
	r.current.Store(after)
	if after.superseded != before.superseded {
		close(before.superseded)
	}
	c := compare(before.observations, after.observations)
	c.Any, c.Revision = after.revision != before.revision, after.revision
	return c
}
