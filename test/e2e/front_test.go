package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
	"mcp-gateway/audit/journal"
	"mcp-gateway/auth"
	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy"
	"mcp-gateway/proxy/modern"
	"mcp-gateway/proxy/present"
	"mcp-gateway/redact"
	"mcp-gateway/registry"
	"mcp-gateway/registry/views"
	"mcp-gateway/rego"
	"mcp-gateway/test/stage"
)

// bench is a corridor with its front, put together by hand: for limits that no
// file sets, and for parts that break.
type bench struct {
	gateway  *proxy.Gateway
	registry *registry.Registry
	url      string
	keys     map[string]string // of "alice" and "bob", who hold the scope "use"
	index    *index.Index
	front    http.Handler
	kept     *notes // what was put on record
}

// notes is a journal that keeps what it was told as well.
type notes struct {
	proxy.Journal
	mu  sync.Mutex
	all []noted
}

type noted struct {
	event      audit.Event
	durability audit.Durability
}

func (n *notes) Append(ctx context.Context, e *audit.Event, d audit.Durability) (audit.Position, error) {
	n.mu.Lock()
	n.all = append(n.all, noted{*e, d})
	n.mu.Unlock()
	return n.Journal.Append(ctx, e, d)
}

// take returns what was put on record since it was asked last.
func (n *notes) take() []noted {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return all
}

// played is an upstream whose calls are a function.
type played struct {
	call func(context.Context, protocol.Outgoing) (protocol.Incoming, error)
}

func (p played) Call(ctx context.Context, out protocol.Outgoing) (protocol.Incoming, error) {
	return p.call(ctx, out)
}
func (played) List(context.Context) (registry.Listing, error) { return registry.Listing{}, nil }
func (played) Changed() <-chan struct{}                       { return nil }
func (played) Watch(ctx context.Context, _ string, _ func()) error {
	<-ctx.Done()
	return nil
}
func (played) Fact() registry.UpstreamFact { return registry.UpstreamFact{} }

// noRefresh leaves lists as they were published.
type noRefresh struct{}

func (noRefresh) Refresh(context.Context, string) error { return nil }
func (noRefresh) Stale(string)                          {}

// newBench serves one upstream "up" with the tools, under settings that change
// may change.
func newBench(t *testing.T, up proxy.Upstream, tools []string, change func(*proxy.World)) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{keys: map[string]string{}}
	keys, err := keyring.Open(filepath.Join(dir, "keys"))
	fatal(t, err)
	j, err := journal.Open(filepath.Join(dir, "journal"), journal.Options{Replica: "r1"})
	fatal(t, err)
	t.Cleanup(func() { fatal(t, j.Close(context.Background())) })
	b.kept = &notes{Journal: j}
	b.index, err = index.Open(filepath.Join(dir, "index.db"), filepath.Join(dir, "journal"))
	fatal(t, err)
	t.Cleanup(func() { fatal(t, b.index.Close()) })
	policy, err := rego.Load(t.Context(), rego.Options{Timeout: time.Second})
	fatal(t, err)
	redactor := redact.New(redact.Options{})
	b.registry = registry.New(registry.Options{Present: present.Items(func(string) *redact.Redactor { return redactor })})
	b.publish(t, dir, tools)
	seen, err := views.NewCache(views.Options{})
	fatal(t, err)
	world := &proxy.World{
		Identifier: b.identifier(t), Policy: policy, Upstreams: map[string]proxy.Upstream{"up": up},
		Limits: proxy.Limits{
			Body: 1 << 20, Result: 1 << 20, Depth: 200, Page: 1000, CallTimeout: 10 * time.Second,
			AuditTimeout: 5 * time.Second, ListTTL: time.Second, InFlight: 16, PerUpstream: 16,
		},
		Durability: map[gateway.SideEffect]audit.Durability{
			gateway.Read: audit.Process, gateway.Write: audit.Process, gateway.Destructive: audit.Process,
		},
	}
	if change != nil {
		change(world)
	}
	b.gateway, err = proxy.New(proxy.Options{
		Version: "test", World: world, Registry: b.registry, Refresh: noRefresh{}, Views: seen, Redactor: redactor,
		Journal: b.kept, Names: audit.NewKeys(keys), Keys: keys, Clock: time.Now,
	})
	fatal(t, err)
	front, err := modern.New(modern.Options{Gateway: b.gateway})
	fatal(t, err)
	b.front = front
	server := httptest.NewServer(front)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *bench) identifier(t *testing.T) proxy.Identifier {
	t.Helper()
	var known []auth.Key
	for _, name := range []string{"alice", "bob"} {
		key, sum := auth.NewKey()
		b.keys[name] = key
		known = append(known, auth.Key{SHA256: sum, Principal: gateway.Principal{Issuer: "gateway", Subject: name, Scopes: []string{"use"}}})
	}
	a, err := auth.New(auth.Options{Keys: known})
	fatal(t, err)
	return a
}

// publish lists and reviews the tools; one whose name begins with "hidden" is for
// whom holds the scope "admin".
func (b *bench) publish(t *testing.T, dir string, tools []string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("version: 1\ntools:\n  up:\n")
	var raw [][]byte
	for _, tool := range tools {
		raw = append(raw, []byte(tool))
		name, _ := protocol.Member([]byte(tool), "name")
		record := stage.Read("use")
		if strings.HasPrefix(string(name), `"hidden`) {
			record = strings.Replace(stage.Write("admin"), "side_effect: write, reversible: yes", "side_effect: destructive, reversible: no", 1)
		}
		fmt.Fprintf(&text, "    %s: {definition: %q, %s}\n", name, protocol.DigestOf([]byte(tool)), record)
	}
	path := filepath.Join(dir, "exposure.yaml")
	fatal(t, os.WriteFile(path, []byte(text.String()), 0o600))
	exposure, err := config.LoadExposure(path)
	fatal(t, err)
	b.registry.SetExposure(exposure)
	_, err = b.registry.Publish("up", registry.Listing{Tools: raw})
	fatal(t, err)
}

func (b *bench) host(name string) *stage.Host { return stage.NewHost(b.url, b.keys[name]) }

// rows returns what is on record, oldest first.
func (b *bench) rows(t *testing.T) []audit.Row {
	t.Helper()
	rows, err := b.index.Query(t.Context(), audit.Filter{Order: audit.OldestFirst, Limit: 10_000})
	fatal(t, err)
	var calls []audit.Row
	for _, r := range rows {
		if r.Type != audit.GatewayStarted {
			calls = append(calls, r)
		}
	}
	return calls
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gate holds calls back until it is opened.
type gate struct {
	arrived chan struct{}
	open    chan struct{}
	once    sync.Once
}

func newGate() *gate { return &gate{arrived: make(chan struct{}, 64), open: make(chan struct{})} }

func (g *gate) release() { g.once.Do(func() { close(g.open) }) }

// wait tells that somebody has arrived, and waits.
func (g *gate) wait(ctx context.Context) {
	g.arrived <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
	}
}
