package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/registry"
)

var errDown = errors.New("down")

// server is an upstream that lists what it is given, and counts.
type server struct {
	changed chan struct{}

	mu    sync.Mutex
	tools []string // names, or "name=description"
	ttl   time.Duration
	fault error
	asked []time.Time
	slow  time.Duration    // how long a list takes
	is    registry.Listing // what it is; of its lists nothing
	down  string           // the reason of its fact
	met   bool             // it is up, whatever becomes of its list
}

func newServer(tools ...string) *server {
	return &server{tools: tools, ttl: time.Minute, changed: make(chan struct{}, 1)}
}

func (s *server) List(ctx context.Context) (registry.Listing, error) {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	slow := s.slow
	s.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return registry.Listing{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.is
	l.TTL = s.ttl
	for _, t := range s.tools {
		name, description, _ := strings.Cut(t, "=")
		l.Tools = append(l.Tools, fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description))
	}
	return l, s.fault
}

func (*server) Call(context.Context, protocol.Outgoing) (protocol.Incoming, error) {
	return protocol.Incoming{}, errDown
}
func (s *server) Changed() <-chan struct{}                  { return s.changed }
func (*server) Watch(context.Context, string, func()) error { return errDown }
func (s *server) Fact() registry.UpstreamFact {
	s.mu.Lock()
	defer s.mu.Unlock()
	return registry.UpstreamFact{Up: s.fault == nil || s.met, Reason: s.down, Instructions: string(s.is.Instructions)}
}

// set changes what is listed, without a word.
func (s *server) set(fault error, tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.tools = fault, tools
}

// asks returns when it was asked since it was asked last.
func (s *server) asks() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// memory is what lasts: a history, and a journal.
type memory struct {
	mu       sync.Mutex
	seen     map[pair]registry.Seen
	facts    map[string]registry.UpstreamFact
	profiles map[string]registry.Profile
	events   []string
}

func newMemory() *memory {
	return &memory{seen: map[pair]registry.Seen{}, facts: map[string]registry.UpstreamFact{}, profiles: map[string]registry.Profile{}}
}

func (m *memory) Observe(_ context.Context, at time.Time, seen []registry.Seen) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range seen {
		s.Last = at
		m.seen[pair{s.ID, s.Digest}] = s
	}
	return nil
}

func (m *memory) Definitions(_ context.Context, upstream string) ([]registry.Seen, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []registry.Seen
	for at, s := range m.seen {
		if at.id.Upstream == upstream {
			all = append(all, s)
		}
	}
	return all, nil
}

func (m *memory) SetUpstream(_ context.Context, f registry.UpstreamFact) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.facts[f.ID] = f
	return nil
}

func (m *memory) Upstream(_ context.Context, id string) (registry.UpstreamFact, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.facts[id]
	return f, ok, nil
}

func (m *memory) SetProfile(_ context.Context, id string, p registry.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.profiles[id] = p
	return nil
}

func (m *memory) Profile(_ context.Context, id string) (registry.Profile, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.profiles[id]
	return p, ok, nil
}

func (m *memory) Upstreams(context.Context) ([]registry.UpstreamFact, error) { return nil, errDown }

func (m *memory) Append(_ context.Context, e *audit.Event, _ audit.Durability) (audit.Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := fmt.Sprintf("%s %s %s", e.Type, e.Tool, e.State)
	if e.Type == audit.ToolsChanged && slices.Contains(e.Reasons, gateway.ReasonRestored) {
		text += " definition_restored"
	}
	if e.Type == audit.UpstreamChanged {
		for _, r := range e.Reasons {
			text += " " + string(r)
		}
	}
	m.events = append(m.events, text)
	return audit.Position{}, nil
}

// news returns the events since it was asked last.
func (m *memory) news() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	news := m.events
	m.events = nil
	slices.Sort(news)
	return news
}

// bench is a refresher with what it works for.
type bench struct {
	*Refresher
	memory *memory
	stop   context.CancelFunc
	ctx    context.Context
	logged *[]string
}

func newBench(t *testing.T, m *memory) *bench {
	ctx, stop := context.WithCancel(t.Context())
	b := &bench{memory: m, ctx: ctx, stop: stop, logged: &[]string{}}
	b.Refresher = New(Options{
		Registry: registry.New(registry.Options{Trust: func(string) bool { return true }}),
		History:  m, Journal: m, Clock: time.Now,
		Log: func(upstream string, _ registry.Changes, err error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			*b.logged = append(*b.logged, fmt.Sprint(upstream, " ", err != nil))
		},
	})
	return b
}

// keep keeps upstreams fresh, in the order of their names a, b, …
func (b *bench) keep(upstreams ...*server) {
	set := map[string]proxy.Upstream{}
	for i, s := range upstreams {
		if s != nil {
			set[string(rune('a'+i))] = s
		}
	}
	b.Set(b.ctx, set)
	synctest.Wait()
}

func (b *bench) end() {
	b.stop()
	b.Wait()
}

// served lists what is served, as the hosts of all upstreams see it.
func (b *bench) served() []string {
	names := []string{}
	for _, item := range b.Registry.Snapshot().Items(gateway.KindTool, "") {
		names = append(names, item.Exposed)
	}
	return names
}

// wait lets time pass in a bubble.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func bubble(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, newMemory())
		test(t, b)
		b.end()
	})
}

func TestStartAndTTL(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		up := newServer("x")
		b.keep(up)
		if got := b.served(); !slices.Equal(got, []string{"a__x"}) || len(up.asks()) != 1 {
			t.Errorf("serves %v after the start", got)
		}
		up.set(nil, "x", "y")
		wait(59 * time.Second)
		if got := b.served(); len(got) != 1 || len(up.asks()) != 0 {
			t.Errorf("asked before its time; serves %v", got)
		}
		wait(2 * time.Second)
		if got := b.served(); len(got) != 2 || len(up.asks()) != 1 {
			t.Errorf("not asked in time; serves %v", got)
		}
	})
}

// However often an upstream says that it changed, and however often a call shows
// that its list is old, it is asked twice a second at most; and once is enough.
func TestNoticesAreOne(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		up, other := newServer("x"), newServer("y")
		b.keep(up, other)
		up.asks()
		other.asks()
		wait(10 * time.Second)
		up.set(nil, "z")
		up.changed <- struct{}{}
		synctest.Wait()
		if got := b.served(); !slices.Equal(got, []string{"a__z", "b__y"}) || len(up.asks()) != 1 {
			t.Errorf("serves %v at once after a notice", got)
		}
		for range 100 {
			b.Stale("a")
			b.Stale("nobody")
			select {
			case up.changed <- struct{}{}:
			default:
			}
			wait(10 * time.Millisecond)
		}
		wait(2 * time.Second)
		if n := len(up.asks()); n < 2 || n > 4 {
			t.Errorf("a second of notices made %d refreshes", n)
		}
		if n := len(other.asks()); n != 0 {
			t.Errorf("another upstream was asked %d times", n)
		}
		// What is said in the middle of a fetch is not answered by it.
		up.mu.Lock()
		up.slow = time.Second
		up.mu.Unlock()
		b.Stale("a")
		wait(100 * time.Millisecond)
		b.Stale("a")
		b.Stale("a")
		up.changed <- struct{}{}
		wait(10 * time.Second)
		if n := len(up.asks()); n != 2 {
			t.Errorf("asked %d times for a stale list and another in the middle of its fetch", n)
		}
		go func() { _ = b.Refresh(b.ctx, "a") }()
		wait(100 * time.Millisecond)
		up.changed <- struct{}{}
		wait(10 * time.Second)
		if n := len(up.asks()); n != 2 {
			t.Errorf("asked %d times for a call and for what was said meanwhile", n)
		}
	})
}

// One upstream that fails backs off alone, and what it listed stays; nothing that
// is served changes by it, so that nobody is told of anything.
func TestOneFailsAlone(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		bad, good, never := newServer("x"), newServer("y"), newServer()
		never.set(errDown)
		b.keep(bad, good, never)
		before := b.Registry.Snapshot()
		bad.set(gateway.Fail(gateway.CodeUnavailable, "busy"))
		wait(90 * time.Second)
		bad.asks()
		good.asks()
		began := time.Now()
		wait(10 * time.Minute)
		asked := bad.asks()
		if n := len(asked); n < 8 || n > 14 {
			t.Errorf("what fails was asked %d times in ten minutes", n)
		}
		for i := 1; i < len(asked); i++ {
			if gap := asked[i].Sub(asked[i-1]); gap > lastRetry*5/4 {
				t.Errorf("at %s it was let alone for %s", asked[i].Sub(began), gap)
			}
		}
		if n := len(good.asks()); n != 10 {
			t.Errorf("what is well was asked %d times in ten minutes", n)
		}
		select {
		case <-before.Superseded():
			t.Error("a failure changed what is served")
		default:
		}
		if got := b.served(); !slices.Equal(got, []string{"a__x", "b__y"}) {
			t.Errorf("serves %v", got)
		}
		if f, _, _ := b.memory.Upstream(t.Context(), "a"); f.Up || f.Reason != "busy" {
			t.Errorf("kept of it: %+v", f)
		}
		if f, _, _ := b.memory.Upstream(t.Context(), "c"); f.Up || f.Reason != string(gateway.ReasonUpstreamDown) {
			t.Errorf("kept of what never came up: %+v", f)
		}
		first := never.asks()
		for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute} {
			if gap := first[i+1].Sub(first[i]); gap < want || gap > want*5/4 {
				t.Errorf("pause %d took %s, want %s and up to a quarter", i, gap, want)
			}
		}
		bad.set(nil, "x2")
		wait(2 * lastRetry)
		if got := b.served(); !slices.Equal(got, []string{"a__x2", "b__y"}) {
			t.Errorf("serves %v once it is well again", got)
		}
		bad.set(errDown) // and its patience is new
		bad.asks()
		wait(70 * time.Second)
		if n := len(bad.asks()); n < 3 {
			t.Errorf("asked %d times soon after the next failure", n)
		}
	})
}

// Set goes on with what is the same, begins anew with what is another, and
// forgets what is gone.
func TestSet(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		same, old, gone := newServer("x"), newServer("y"), newServer("z")
		b.keep(same, old, gone)
		same.asks()
		replaced := newServer("y2")
		replaced.slow = time.Second
		b.keep(same, replaced, nil)
		if got := b.served(); !slices.Equal(got, []string{"a__x", "b__y"}) {
			t.Errorf("serves %v until the new one has listed", got)
		}
		wait(2 * time.Second)
		if got := b.served(); !slices.Equal(got, []string{"a__x", "b__y2"}) {
			t.Errorf("serves %v", got)
		}
		if n := len(same.asks()); n != 0 {
			t.Errorf("what is the same was asked %d times", n)
		}
		old.asks()
		gone.asks()
		wait(10 * time.Minute)
		if n, m := len(old.asks()), len(gone.asks()); n+m != 0 {
			t.Errorf("who left was asked %d and %d times", n, m)
		}
		var e *gateway.Error
		if err := b.Refresh(t.Context(), "c"); !errors.As(err, &e) || e.Code != gateway.CodeUnavailable {
			t.Errorf("refreshing what is gone: %v", err)
		}
	})
}

// A list that an upstream gave before it was replaced is not published after
// that of its successor.
func TestALateListOfAPredecessor(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		old := newServer("old")
		old.slow = 5 * time.Second
		b.keep(old)
		wait(time.Second)
		b.keep(newServer("new"))
		wait(30 * time.Second)
		if got := b.served(); !slices.Equal(got, []string{"a__new"}) {
			t.Errorf("serves %v", got)
		}
	})
}

func TestRefreshIsShared(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		up := newServer("x")
		b.keep(up)
		up.asks()
		up.set(nil, "y")
		up.mu.Lock()
		up.slow = time.Second
		up.mu.Unlock()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := b.Refresh(t.Context(), "a"); err != nil {
					t.Error(err)
				}
				if got := b.served(); !slices.Equal(got, []string{"a__y"}) {
					t.Errorf("serves %v after a refresh", got)
				}
			})
		}
		all.Wait()
		if n := len(up.asks()); n != 2 { // one that the first began, one that is new for all others
			t.Errorf("ten who wait made %d refreshes", n)
		}
		// What was listed before the call is no answer to it.
		first := make(chan error, 1)
		go func() { first <- b.Refresh(t.Context(), "a") }()
		wait(500 * time.Millisecond)
		up.set(nil, "z")
		wait(600 * time.Millisecond)
		if err := b.Refresh(t.Context(), "a"); err != nil || !slices.Equal(b.served(), []string{"a__z"}) {
			t.Errorf("serves %v, %v", b.served(), err)
		}
		<-first
		up.set(errDown)
		if err := b.Refresh(t.Context(), "a"); !errors.Is(err, errDown) {
			t.Errorf("a refresh that fails: %v", err)
		}
	})
}

// What waits for a refresh together must not fail together because one of them
// gives up.
func TestOneWhoGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		up := newServer("x")
		b.keep(up)
		up.mu.Lock()
		up.slow = time.Second
		up.mu.Unlock()
		first, giveUp := context.WithCancel(t.Context())
		impatient, patient := make(chan error, 1), make(chan error, 1)
		go func() { impatient <- b.Refresh(first, "a") }()
		synctest.Wait()
		go func() { patient <- b.Refresh(t.Context(), "a") }()
		synctest.Wait()
		giveUp()
		if err := <-impatient; !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up got %v", err)
		}
		if err := <-patient; err != nil {
			t.Errorf("who waited on got %v", err)
		}
	})
}

// Once Wait returns, nothing is listed any more, whoever asks.
func TestAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, newMemory())
		up := newServer("x")
		b.keep(up)
		up.mu.Lock()
		up.slow = time.Second
		up.mu.Unlock()
		asked := make(chan error, 2)
		for range cap(asked) {
			go func() { asked <- b.Refresh(t.Context(), "a") }()
		}
		synctest.Wait()
		b.end()
		up.asks()
		for range cap(asked) {
			if err := <-asked; !errors.Is(err, context.Canceled) {
				t.Errorf("who waited got %v", err)
			}
		}
		if err := b.Refresh(t.Context(), "a"); !errors.Is(err, context.Canceled) || len(up.asks()) != 0 {
			t.Errorf("who came later got %v", err)
		}
		if f, _, _ := b.memory.Upstream(t.Context(), "a"); !f.Up {
			t.Errorf("the end is kept as a failure of the upstream: %+v", f)
		}
	})
}

// An upstream that is met is not down for want of a token of the gateway's own: calls in
// the right of who calls go on. For every other failure to list it is.
func TestNoTokenIsNoUpstreamDown(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		up := newServer("x")
		b.keep(up)
		up.mu.Lock()
		up.met = true
		up.mu.Unlock()
		for _, c := range []struct {
			name   string
			fault  error
			up     bool
			reason string
		}{
			{"no token", gateway.Because(gateway.CodeUnavailable, syscall.ECONNREFUSED, gateway.ReasonCredential), true, "credential_dial_refused"},
			{"no connection", gateway.Fail(gateway.CodeUnavailable, "dial_refused"), false, "dial_refused"},
		} {
			up.set(c.fault)
			if err := b.Refresh(t.Context(), "a"); !errors.Is(err, c.fault) {
				t.Fatalf("%s: %v", c.name, err)
			}
			if f, _, _ := b.memory.Upstream(t.Context(), "a"); f.Up != c.up || f.Reason != c.reason {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	})
}

// What an upstream is, is on record whenever it changes: once, also across restarts,
// and no matter who else looked; and so is why it is refused.
func TestUpstreamsAreNews(t *testing.T) {
	m := newMemory()
	becomes := func(b *bench, up *server, is registry.Listing, fault error, down string) []string {
		up.mu.Lock()
		up.is, up.fault, up.down = is, fault, down
		up.mu.Unlock()
		wait(10 * time.Minute)
		return m.news()
	}
	old := registry.Listing{Era: "legacy", Revision: "2025-06-18", Capabilities: []byte(`{"tools":{}}`)}
	told := old
	told.Instructions = []byte(`"be nice"`)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, m)
		up := newServer()
		up.is = old
		b.keep(up)
		m.news()
		for _, step := range []struct {
			name, want string
			is         registry.Listing
			fault      error
			down       string
		}{
			{"the same", "", old, nil, ""},
			{"its members in another order", "", registry.Listing{Era: "legacy", Revision: "2025-06-18", Capabilities: []byte(`{ "tools" : {} }`)}, nil, ""},
			{"instructions", "upstream.changed  new instructions_changed instructions_unreviewed", told, nil, ""},
			{"an older revision and none", "upstream.changed  new revision_changed instructions_changed", registry.Listing{Era: "legacy", Revision: "2025-03-26", Capabilities: old.Capabilities}, nil, ""},
			{"another era", "upstream.changed  new era_changed revision_changed capabilities_changed", registry.Listing{Era: "modern", Revision: "2026-07-28"}, nil, ""},
			{"down", "", old, errDown, "dial_refused"},
			{"a downgrade that is refused", "upstream.changed  withheld downgrade", old, errDown, "downgrade"},
			{"too old at last", "upstream.changed  withheld revision_too_old", old, errDown, "revision_too_old"},
			{"as it was", "upstream.changed  new definition_restored", registry.Listing{Era: "modern", Revision: "2026-07-28"}, nil, ""},
		} {
			if got := strings.Join(becomes(b, up, step.is, step.fault, step.down), ", "); got != step.want {
				t.Errorf("%s: %q, want %q", step.name, got, step.want)
			}
		}
		b.end()
	})
	synctest.Test(t, func(t *testing.T) { // a restart, then one that finds a change
		for want, is := range map[string]registry.Listing{"": {Era: "modern", Revision: "2026-07-28"}} {
			b := newBench(t, m)
			up := newServer()
			up.is = is
			b.keep(up)
			if got := strings.Join(m.news(), ", "); got != want {
				t.Errorf("a restart wrote %q, want %q", got, want)
			}
			if got := becomes(b, up, old, nil, ""); len(got) != 1 {
				t.Errorf("a change after a restart wrote %q", got)
			}
			b.end()
		}
	})
}

// What is deprecated is retired as its day comes, whether its upstream lists or not, and
// that is on record.
func TestSunset(t *testing.T) {
	bubble(t, func(t *testing.T, b *bench) {
		b.Refresher.Registry = registry.New(registry.Options{})
		up := newServer("x")
		up.ttl = 24 * time.Hour
		b.keep(up)
		digest := b.Registry.Observations()[0].Digest
		b.Registry.SetExposure(&registry.Exposure{Items: map[gateway.ItemID]*registry.Record{
			{Upstream: "a", Name: "x"}: {Definition: digest, Facts: gateway.ExposureFacts{
				SideEffect: gateway.Read, Deprecated: &gateway.Deprecation{Sunset: time.Now().Add(time.Hour)},
			}},
		}})
		b.memory.news()
		wait(59 * time.Minute)
		if got := b.served(); !slices.Equal(got, []string{"a__x"}) {
			t.Errorf("serves %v before its day", got)
		}
		wait(2 * time.Minute)
		if got := b.served(); len(got) > 0 {
			t.Errorf("serves %v after its day", got)
		}
		if got := b.memory.news(); !slices.Equal(got, []string{"tools.changed a__x retired"}) {
			t.Errorf("on record: %v", got)
		}
	})
}

// Events tell of news only: not of what a restart finds as it was left.
func TestEventsAreNews(t *testing.T) {
	m := newMemory()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, m)
		up := newServer("x", "y")
		b.keep(up)
		if got, want := m.news(), []string{"tools.changed a__x approved", "tools.changed a__y approved", "upstream.changed  new first_met"}; !slices.Equal(got, want) {
			t.Errorf("at first %v", got)
		}
		wait(5 * time.Minute)
		if got := m.news(); len(got) > 0 {
			t.Errorf("the same lists wrote %v", got)
		}
		up.set(nil, "x=other", "z")
		wait(time.Minute)
		if got, want := m.news(), []string{"tools.changed a__x approved", "tools.changed a__y missing", "tools.changed a__z approved"}; !slices.Equal(got, want) {
			t.Errorf("after a change %v", got)
		}
		up.set(nil, "x=other", "y", "z")
		wait(time.Minute)
		if got, want := m.news(), []string{"tools.changed a__y approved"}; !slices.Equal(got, want) {
			t.Errorf("after a return %v", got)
		}
		up.set(errDown)
		wait(5 * time.Minute)
		if got := m.news(); len(got) > 0 {
			t.Errorf("a failure wrote %v", got)
		}
		up.set(nil, "x", "y", "z")
		wait(15 * time.Minute)
		if got, want := m.news(), []string{"tools.changed a__x approved definition_restored"}; !slices.Equal(got, want) {
			t.Errorf("after a flap %v", got)
		}
		up.set(nil, "x=other", "y", "z")
		wait(time.Minute)
		if got, want := m.news(), []string{"tools.changed a__x approved definition_restored"}; !slices.Equal(got, want) {
			t.Errorf("after another %v", got)
		}
		b.end()
	})
	synctest.Test(t, func(t *testing.T) { // a restart
		b := newBench(t, m)
		b.keep(newServer("x=other", "y", "z"))
		if got := m.news(); len(got) > 0 {
			t.Errorf("a restart wrote %v", got)
		}
		b.end()
	})
	synctest.Test(t, func(t *testing.T) { // one that finds a change
		b := newBench(t, m)
		b.keep(newServer("x=third", "y", "z"))
		if got, want := m.news(), []string{"tools.changed a__x approved"}; !slices.Equal(got, want) {
			t.Errorf("a restart before a change wrote %v", got)
		}
		b.end()
	})
}
