package listen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/auth"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/corridor"
	"mcp-gateway/proxy/history"
	"mcp-gateway/proxy/lifecycle"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/record"
	"mcp-gateway/proxy/sight"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
)

var errNo = errors.New("no")

// journal keeps events; it can break.
type journal struct {
	mu     sync.Mutex
	events []audit.Event
	broken bool
}

func (j *journal) Append(_ context.Context, e *audit.Event, _ audit.Durability) (audit.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken {
		return audit.Position{}, errNo
	}
	j.events = append(j.events, *e)
	return audit.Position{}, nil
}

// doorman knows one principal, until it is dismissed.
type doorman struct {
	mu   sync.Mutex
	gone bool
}

var alice = &gateway.Principal{Issuer: "gateway", Subject: "alice", Method: gateway.AuthAPIKey}

func (*doorman) Challenge(auth.Request, *gateway.Error) string { return "" }

func (*doorman) Metadata(string) []byte { return nil }

func (d *doorman) Identify(context.Context, auth.Request) (*gateway.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return nil, errNo
	}
	return alice, nil
}

// server is an upstream that tells of resources.
type server struct {
	mu      sync.Mutex
	watched map[string][]func() // who is told, by URI
	asked   []time.Time         // when it was asked to watch
	fault   error
}

func newServer() *server { return &server{watched: map[string][]func(){}} }

func (*server) Call(context.Context, protocol.Outgoing) (protocol.Incoming, error) {
	return protocol.Incoming{}, errNo
}
func (*server) List(context.Context) (registry.Listing, error) { return registry.Listing{}, errNo }
func (*server) Changed() <-chan struct{}                       { return nil }
func (*server) Fact() registry.UpstreamFact                    { return registry.UpstreamFact{} }

func (s *server) Watch(ctx context.Context, uri string, changed func()) error {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	if err := s.fault; err != nil {
		s.mu.Unlock()
		return err
	}
	at := len(s.watched[uri])
	s.watched[uri] = append(s.watched[uri], changed)
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched[uri][at] = nil
	return nil
}

// tell says that a resource was updated, and returns how many were told.
func (s *server) tell(uri string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, changed := range s.watched[uri] {
		if changed != nil {
			changed()
			n++
		}
	}
	return n
}

// bench is a listener with all that stands around it.
type bench struct {
	*Listener
	t        testing.TB
	registry *registry.Registry
	journal  *journal
	doorman  *doorman
	server   *server
	policies map[string]*rego.Engine
}

// newBench serves an upstream "up" by policies of which each hides what one word
// names and lets nothing be read that another one names: "hidden unread".
func newBench(t testing.TB, policies ...string) *bench {
	t.Helper()
	b := &bench{t: t, journal: &journal{}, doorman: &doorman{}, server: newServer(), policies: map[string]*rego.Engine{}}
	for _, p := range append(policies, "secret locked") {
		hidden, unread, _ := strings.Cut(p, " ")
		dir := t.TempDir()
		text := "package mcp.gateway\n\nvisible contains id if {\n\tsome id, _ in input.resources\n\tnot contains(id, \"" + hidden +
			"\")\n}\n\nallow if {\n\tinput.action.name == \"resources/read\"\n\tnot contains(input.resource.arguments.uri, \"" + unread + "\")\n\tinput.context.history.calls_hour < 3\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		engine, err := rego.Load(t.Context(), rego.Options{Dir: dir, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		b.policies[p] = engine
	}
	b.registry = registry.New(registry.Options{
		Trust: func(string) bool { return true },
		Present: func(d *registry.Definition, _ *gateway.ExposureFacts) (func(string) []byte, []gateway.Finding, error) {
			return func(name string) []byte { return append([]byte(name), d.Raw...) }, nil, nil
		},
	})
	seen, err := views.NewCache(views.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	worlds := &call.Worlds{}
	counts, err := history.New()
	if err != nil {
		t.Fatal(err)
	}
	b.Listener = New(Options{
		History: counts,
		Sight:   sight.New(b.registry, seen), Worlds: worlds, Hop: present.NewHop("test"),
		Record: &record.Recorder{Journal: b.journal, Names: audit.NewKeys(ring)},
	})
	b.enter("secret locked", b.server)
	return b
}

// enter replaces the world: a policy, and who the upstream is.
func (b *bench) enter(policy string, up call.Upstream) {
	ups := map[string]call.Upstream{}
	if up != nil {
		ups["up"] = up
	}
	b.Worlds.Set(&call.World{
		Identifier: b.doorman, Policy: b.policies[policy], Upstreams: ups,
		Limits: call.Limits{AuditTimeout: time.Second, Subscriptions: 2},
	})
}

// called counts calls that alice made.
func (b *bench) called(n int) {
	for range n {
		b.History.Called(alice.ID(), gateway.ItemID{Upstream: "up"}, gateway.Read, time.Now())
	}
}

// publish lists tools by their descriptions under equal names, and resources by
// their URIs.
func (b *bench) publish(tools map[string]string, uris ...string) {
	b.t.Helper()
	var l registry.Listing
	for name, description := range tools {
		l.Tools = append(l.Tools, []byte(`{"name":"`+name+`","description":"`+description+`","inputSchema":{"type":"object"}}`))
	}
	for _, uri := range uris {
		l.Resources = append(l.Resources, []byte(`{"uri":"`+uri+`","name":"r"}`))
	}
	if _, err := b.registry.Publish("up", l); err != nil {
		b.t.Fatal(err)
	}
}

// host is a host that listens. It is a call.Stream.
type host struct {
	call *call.Call
	done chan struct{}
	mu   sync.Mutex
	said []string // each notification, without what all have
	gone bool
}

func (h *host) Notify(_ context.Context, method string, params []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return errNo
	}
	text := strings.TrimPrefix(method, "notifications/")
	if members := strings.TrimPrefix(string(params), `{"_meta":{"io.modelcontextprotocol/subscriptionId":"id"}`); members != "}" && members != "" {
		text += " " + strings.Trim(members, ",{}")
	}
	h.said = append(h.said, text)
	return nil
}

func (*host) Ask(context.Context, string, []byte) ([]byte, error) { return nil, errNo }
func (*host) CanAsk(string) bool                                  { return false }

// heard returns what was said since it was asked last.
func (h *host) heard() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	said := h.said
	h.said = nil
	return said
}

func (b *bench) call(era audit.Era, method, params string) *call.Call {
	return &call.Call{
		Arrival: call.Arrival{Transport: string(audit.HTTP), Era: era}, ID: audit.NewID(time.Now()),
		World: b.Worlds.Get(), Principal: alice, Clock: time.Now, Started: time.Now(),
		Request: &protocol.Request{ID: []byte(`"id"`), Method: method, Params: []byte(params)},
	}
}

// listen lets a modern host listen until ctx ends.
func (b *bench) listen(ctx context.Context, filter string) *host {
	b.t.Helper()
	h := &host{call: b.call(audit.Modern, protocol.MethodSubscriptionsListen, `{"notifications":`+filter+`}`), done: make(chan struct{})}
	h.call.Stream = h
	go func() {
		defer close(h.done)
		b.pipeline(b.Stages()).Do(ctx, h.call)
	}()
	return h
}

func (b *bench) pipeline(stages []call.Stage) *call.Pipeline {
	given := []call.Fact{call.FactArrival, call.FactAccepted, call.FactPrincipal, call.FactAdmitted, call.FactRequest}
	p, err := corridor.New(given, stages...)
	if err != nil {
		panic(err)
	}
	return p
}

// session asks in a legacy session, and returns the code of a refusal.
func (b *bench) session(s *lifecycle.Session, stages []call.Stage, method, params string) gateway.Code {
	c := b.call(audit.Legacy, method, params)
	c.Session = s
	b.pipeline(stages).Do(b.t.Context(), c)
	if c.Err != nil {
		return c.Err.Code
	}
	return ""
}

// wait lets time pass in a bubble.
func wait(d time.Duration) { <-time.After(d) }
