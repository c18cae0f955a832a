package hosts

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

const (
	deployments = "incident__list_recent_deployments"
	everything  = `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["desk://nowhere"],"other":1}`
	toolsOnly   = `"notifications":{"toolsListChanged":true,"promptsListChanged":false}`
)

// watching is a modern host that listens.
type watching struct {
	t     testing.TB
	id    string
	resp  *http.Response
	lines *bufio.Scanner
}

// watch opens a subscription under an id of raw JSON.
func watch(ctx context.Context, t testing.TB, h *stage.Host, id, params string) *watching {
	t.Helper()
	ask := h.Ask(protocol.MethodSubscriptionsListen, params)
	ask.ID = id
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ask.URL, strings.NewReader(ask.Text()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = ask.Header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() }) // read as far as it matters
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	return &watching{t, id, resp, bufio.NewScanner(resp.Body)}
}

// hear returns the next message; "" once the stream has ended.
func (w *watching) hear() string {
	for w.lines.Scan() {
		if data, ok := strings.CutPrefix(w.lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

func (w *watching) expect(want string) {
	w.t.Helper()
	if got := w.hear(); got != want {
		w.t.Errorf("%s heard %s\nwant %s", w.id, got, want)
	}
}

// told is a notification of a subscription.
func told(method, id, members string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` + members + `}}`
}

func acknowledged(id, agreed string) string {
	return told(protocol.NotificationSubscriptionsStarted, id, `,"notifications":`+agreed)
}

// expectEnd hears the graceful end: the request is withdrawn, then answered.
func (w *watching) expectEnd(reason gateway.Reason) {
	w.t.Helper()
	w.expect(told(protocol.NotificationCancelled, w.id, `,"requestId":`+w.id+`,"reason":"`+string(reason)+`"`))
	w.expect(`{"jsonrpc":"2.0","id":` + w.id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + w.id +
		`,"io.modelcontextprotocol/serverInfo":{"name":"mcp-gateway","version":"` + stage.Version + `"}}}}`)
	w.expect("")
	if err := w.lines.Err(); err != nil {
		w.t.Errorf("%s: the stream ended by %v", w.id, err)
	}
}

// desk is a gateway before the incident example, whose definition of one tool
// drifts while the file exists.
func desk(t testing.TB) (s *stage.Stage, drift, restore func()) {
	t.Helper()
	variant := t.TempDir() + "/changed"
	s = stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"service:read"}}, {Name: "bob", Scopes: []string{"incident:read"}}},
		Auth:       `stdio: {subject: local, tenant: test, scopes: ["service:read"]}`,
		Upstreams:  []stage.Upstream{stage.Incident("incident", "--variant-file", variant)}, Review: stage.ReviewIncident,
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, func() { must(os.WriteFile(variant, nil, 0o600)) }, func() { must(os.Remove(variant)) }
}

// Only who sees a tool hears that it changed; ids travel as they were sent.
func TestListen(t *testing.T) {
	s, drift, restore := desk(t)
	alice := watch(t.Context(), t, s.Host("alice"), `9007199254740993`, everything)
	alice.expect(acknowledged(alice.id, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":[]}`))
	second := watch(t.Context(), t, s.Host("alice"), `"\u00e9\/"`, toolsOnly)
	second.expect(acknowledged(second.id, `{"toolsListChanged":true}`))
	bob := watch(t.Context(), t, s.Host("bob"), `1`, everything)
	bob.expect(acknowledged(`1`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":[]}`))
	nothing := watch(t.Context(), t, s.Host("alice"), `2`, `"notifications":{}`)
	nothing.expect(acknowledged(`2`, `{}`))

	for _, step := range []struct {
		do   func()
		sees bool
	}{{drift, false}, {restore, true}} {
		step.do()
		for _, w := range []*watching{alice, second} {
			w.expect(told(protocol.NotificationToolsChanged, w.id, ""))
		}
		if sees := slices.Contains(s.Host("alice").List(t), deployments); sees != step.sees {
			t.Errorf("told of the change, and the tool is listed: %t", sees)
		}
	}

	s.Stop()
	for _, w := range []*watching{alice, second, bob, nothing} {
		w.expectEnd(gateway.ReasonStopping)
	}
	rows := s.Rows(t, audit.Filter{Type: audit.SubscriptionOpened})
	if len(rows) != 4 {
		t.Fatalf("%d subscriptions are on record: %+v", len(rows), rows)
	}
	for _, r := range rows {
		if r.Principal == "" || r.Settled.Seq == 0 || !slices.Equal(r.Reasons, []gateway.Reason{gateway.ReasonStopping}) || r.Method != protocol.MethodSubscriptionsListen {
			t.Errorf("on record: %+v", r)
		}
	}
}

// A subscription ends with its host, and with the credential that it was opened by.
func TestListenEnds(t *testing.T) {
	s, drift, _ := desk(t)
	ctx, leave := context.WithCancel(t.Context())
	left := watch(ctx, t, s.Host("alice"), `1`, toolsOnly)
	left.expect(acknowledged(`1`, `{"toolsListChanged":true}`))
	alice, bob := watch(t.Context(), t, s.Host("alice"), `2`, toolsOnly), watch(t.Context(), t, s.Host("bob"), `3`, toolsOnly)
	alice.expect(acknowledged(`2`, `{"toolsListChanged":true}`))
	bob.expect(acknowledged(`3`, `{"toolsListChanged":true}`))
	leave()
	stage.Await(t, "the subscription of who left is closed", func() bool {
		rows := s.Rows(t, audit.Filter{Type: audit.SubscriptionOpened})
		return rows[0].Settled.Seq > 0 && slices.Equal(rows[0].Reasons, []gateway.Reason{gateway.ReasonHostLeft})
	})
	s.Write(t, "upstreams.yaml", strings.Replace(text(t, s, "upstreams.yaml"), "id: bob", "id: renamed", 1))
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	bob.expectEnd(gateway.ReasonPrincipalGone)
	drift()
	alice.expect(told(protocol.NotificationToolsChanged, `2`, ""))
}

// A policy that is replaced may change views as well as a list does.
func TestListenFollowsSettings(t *testing.T) {
	s, _, _ := desk(t)
	alice, bob := watch(t.Context(), t, s.Host("alice"), `1`, toolsOnly), watch(t.Context(), t, s.Host("bob"), `2`, toolsOnly)
	alice.expect(acknowledged(`1`, `{"toolsListChanged":true}`))
	bob.expect(acknowledged(`2`, `{"toolsListChanged":true}`))
	config := text(t, s, "upstreams.yaml")
	for _, scopes := range []string{"[other]", "[service:read, other]"} { // who holds less sees less, and hears of it
		s.Write(t, "upstreams.yaml", strings.Replace(config, "subject: alice, tenant: test, scopes: [service:read]", "subject: alice, tenant: test, scopes: "+scopes, 1))
		if err := s.Gateway.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		alice.expect(told(protocol.NotificationToolsChanged, `1`, ""))
	}
	s.Stop()
	bob.expectEnd(gateway.ReasonStopping) // and heard of nothing
}

func TestListenRefuses(t *testing.T) {
	s, _, _ := desk(t)
	alice := s.Host("alice")
	for _, params := range []string{
		``, `"notifications":null`, `"notifications":[]`, `"notifications":{"toolsListChanged":1}`, `"notifications":{"promptsListChanged":null}`,
		`"notifications":{"resourceSubscriptions":"desk://a"}`, `"notifications":{"resourceSubscriptions":["desk://a",1]}`,
	} {
		if r := alice.Ask(protocol.MethodSubscriptionsListen, params).Send(t); r.Status != 400 || r.RPC() != protocol.RPCInvalidParams {
			t.Errorf("%s: %d %s", params, r.Status, r.Body)
		}
	}
	if r := alice.Ask(protocol.MethodSubscriptionsListen, toolsOnly).With("Accept", "application/json").Send(t); r.Status != 406 || r.Code() != "not_acceptable" {
		t.Errorf("where no stream is taken: %d %s", r.Status, r.Body)
	}
	if r := s.Host("").Ask(protocol.MethodSubscriptionsListen, toolsOnly).Send(t); r.Status != 401 {
		t.Errorf("a stranger: %d %s", r.Status, r.Body)
	}
	if rows := s.Rows(t, audit.Filter{Type: audit.SubscriptionOpened}); len(rows) > 0 {
		t.Errorf("on record as opened: %+v", rows)
	}
}

// Many listen, all who see it hear once of a change, and nothing is left of them.
func TestManyListen(t *testing.T) {
	const each = 100
	s, drift, _ := desk(t)
	s.Host("alice").List(t)
	before := runtime.NumGoroutine()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	all := map[string][]*watching{}
	for _, name := range []string{"alice", "bob"} {
		for i := range each {
			w := watch(ctx, t, s.Host(name), fmt.Sprintf("%q", fmt.Sprint(name, i)), toolsOnly)
			w.expect(acknowledged(w.id, `{"toolsListChanged":true}`))
			all[name] = append(all[name], w)
		}
	}
	during := runtime.NumGoroutine()
	// Of each: one goroutine and one that reads ahead here in the server, two in this client.
	if most := before + 2*each*5; during > most {
		t.Errorf("%d goroutines at %d listeners, at most %d", during, 2*each, most)
	}
	drift()
	for _, w := range all["alice"] {
		w.expect(told(protocol.NotificationToolsChanged, w.id, ""))
	}
	// A change costs what renews the list, whose connections come and go: nothing for each listener.
	if now := runtime.NumGoroutine(); now > during+each/2 {
		t.Errorf("%d goroutines after a change, %d before", now, during)
	}
	leave()
	for _, w := range slices.Concat(all["alice"], all["bob"]) {
		for m := w.hear(); m != ""; m = w.hear() {
			t.Errorf("%s heard %s as well", w.id, m)
		}
		_ = w.resp.Body.Close() // its context has ended
	}
	http.DefaultClient.CloseIdleConnections()
	stage.Await(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before+4 })
}

// runbooks is a server of the SDK with resources, of one era: "plain" is for all,
// "secret" for nobody.
func runbooks(t *testing.T, era string) (*mcp.Server, stage.Upstream) {
	t.Helper()
	opts := &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	}
	how := &mcp.StreamableHTTPOptions{Stateless: era == "modern"}
	if era == "legacy" {
		opts.SupportedProtocolVersions = []string{protocol.Revision20251125}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "runbooks", Version: "1"}, opts)
	for _, name := range []string{"plain", "secret"} {
		server.AddResource(&mcp.Resource{Name: name, URI: "Runbook://desk/" + name},
			func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "do this"}}}, nil
			})
	}
	return server, stage.Served(t, era, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, how))
}

// What upstreams of both eras tell of a resource reaches hosts of both eras who
// asked for it, as they spelled it, and of what may not be read nobody hears.
func TestResourceUpdates(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) { resourceUpdates(t, era) })
	}
}

func resourceUpdates(t *testing.T, era string) {
	server, up := runbooks(t, era)
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{up},
		Others: func(id gateway.ItemID) string {
			if strings.Contains(id.Name, "secret") {
				return stage.Reviewed("nobody")
			}
			return stage.Reviewed("use")
		},
	})
	alice := s.Host("alice")
	modern := watch(t.Context(), t, alice, `1`, `"notifications":{"resourceSubscriptions":["runbook://desk/plain","runbook://desk/secret"]}`)
	modern.expect(acknowledged(`1`, `{"resourceSubscriptions":["runbook://desk/plain"]}`))
	session := begin(t, alice, protocol.Revision20251125)
	ask := func(method, uri string) *stage.Reply {
		return alice.Legacy(protocol.Revision20251125, session, method, `"uri":"`+uri+`"`).Send(t)
	}
	if r := ask(protocol.MethodResourcesSubscribe, "RUNBOOK://desk/plain"); string(r.Result) != "{}" {
		t.Fatalf("subscribe: %s", r.Body)
	}
	for _, uri := range []string{"runbook://desk/secret", "runbook://desk/none"} {
		if r := ask(protocol.MethodResourcesSubscribe, uri); r.Code() != string(gateway.CodeUnknownResource) {
			t.Errorf("subscribe to %s: %s", uri, r.Body)
		}
	}
	next, _ := listen(t, alice.Legacy(protocol.Revision20251125, session, "x", ""))
	stop := telling(t, server)
	modern.expect(told(protocol.NotificationResourceUpdated, `1`, `,"uri":"runbook://desk/plain"`))
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"RUNBOOK://desk/plain"}}`; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	stop()
	if r := ask(protocol.MethodResourcesUnsubscribe, "runbook://desk/plain"); string(r.Result) != "{}" {
		t.Fatalf("unsubscribe: %s", r.Body)
	}
	// Once nobody may see it any more, its list has changed, and that is the last of it.
	s.Write(t, "exposure.yaml", strings.ReplaceAll(s.Exposure(), `scopes: ["use"]`, `scopes: ["nobody"]`))
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for got := next(); got != `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`; got = next() {
		if !strings.Contains(got, protocol.NotificationResourceUpdated) || got == "" { // one that was on its way
			t.Fatalf("told %q", got)
		}
	}
}

// telling lets a server say again and again that its resources were updated, since
// nobody knows when it is watched.
func telling(t *testing.T, server *mcp.Server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			for _, name := range []string{"secret", "plain"} {
				_ = server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "Runbook://desk/" + name}) // nobody may be there yet
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	return func() { cancel(); <-done }
}

func TestListenOverStdio(t *testing.T) {
	s, drift, restore := desk(t)
	p := start(t, s, "")
	heard := func(want string) {
		t.Helper()
		if p.lines.Scan(); p.lines.Text() != want {
			t.Errorf("heard %s\nwant %s", p.lines.Text(), want)
		}
	}
	listen := func(id string) {
		p.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"_meta":` + stage.Meta + `,` + toolsOnly + `}}`)
		heard(acknowledged(id, `{"toolsListChanged":true}`))
	}
	listen(`"a"`)
	listen(`2`)
	drift()
	got := []string{p.line(), p.line()}
	slices.Sort(got)
	if want := []string{told(protocol.NotificationToolsChanged, `"a"`, ""), told(protocol.NotificationToolsChanged, `2`, "")}; !slices.Equal(got, want) {
		t.Errorf("heard %q", got)
	}
	// The one that is cancelled is neither answered nor told; the other goes on.
	p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	restore()
	heard(told(protocol.NotificationToolsChanged, `2`, ""))
	p.end()
}

func TestListenOverStdioEndsWithTheGateway(t *testing.T) {
	s, _, _ := desk(t)
	p := start(t, s, "")
	p.say(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"_meta":` + stage.Meta + `,` + toolsOnly + `}}`)
	if got, want := p.line(), acknowledged(`7`, `{"toolsListChanged":true}`); got != want {
		t.Errorf("heard %s\nwant %s", got, want)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got, want := p.line(), told(protocol.NotificationCancelled, `7`, `,"requestId":7,"reason":"gateway_stopping"`); got != want {
		t.Errorf("heard %s\nwant %s", got, want)
	}
	if m := p.hear(); string(m.ID) != `7` || m.Result == nil {
		t.Errorf("answered %+v", m)
	}
	p.end()
}

// line returns the next line as it is.
func (p *pipe) line() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the gateway fell silent: %v", p.lines.Err())
	}
	return p.lines.Text()
}
