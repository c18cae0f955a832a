package delivery

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/rego/deliver"
	"mcp-gateway/rego/pack"
	"mcp-gateway/test/stage"
)

// canary is the credential at the service.
const canary = "canary-of-the-bundle-service"

// publisher signs bundles and serves the last one.
type publisher struct {
	*httptest.Server
	private, public []byte
	offered         atomic.Pointer[[]byte]
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err1 := x509.MarshalPKCS8PrivateKey(key)
	public, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	p := &publisher{
		private: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		public:  pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw := p.offered.Load()
		if raw == nil || r.Header.Get("Authorization") != "Bearer "+canary {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write(*raw)
	}))
	t.Cleanup(p.Close)
	return p
}

// pack makes a bundle whose reviewed tools are all visible.
func (p *publisher) pack(t *testing.T, rules string, sequence int64) []byte {
	t.Helper()
	text := "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n" + rules + "\n"
	raw, err := pack.Make(t.Context(), fstest.MapFS{"p.rego": {Data: []byte(text)}}, "p", pack.Build{Key: p.private, Sequence: sequence})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (p *publisher) offer(raw []byte) { p.offered.Store(&raw) }

// settings is the configuration of a gateway that follows the publisher.
func (p *publisher) settings(t *testing.T) string {
	t.Helper()
	t.Setenv("TEST_BUNDLE_TOKEN", canary)
	path := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(path, p.public, 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("policy: {timeout: 10s, bundle: {url: %q, key: %q, credential: {bearer: \"env:TEST_BUNDLE_TOKEN\"}, poll: {min: 1h, max: 2h}}}\n", p.URL+"/p", "file:"+path)
}

// desk is an upstream whose tool waits at a gate, where there is one.
func desk(gate chan struct{}) *stage.Peer {
	up := stage.NewPeer()
	up.Add(`{"name":"look","inputSchema":{"type":"object"}}`, func(w http.ResponseWriter, r *http.Request, m stage.Message) {
		if gate != nil {
			gate <- struct{}{}
			<-gate
		}
		stage.Result(stage.Text(`"done"`))(w, r, m)
	})
	return up
}

// ready asks /readyz.
func ready(t *testing.T, address string) (int, string) {
	t.Helper()
	return get(t, "http://"+address+"/readyz?verbose")
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestDelivery(t *testing.T) {
	p := newPublisher(t)
	status := make(chan net.Addr, 1)
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", desk(nil))}, Settings: p.settings(t),
		Listen: "status: \"127.0.0.1:0\"", OnStatus: func(a net.Addr) { status <- a },
	})
	at := (<-status).String()
	alice := s.Host("alice")

	// None came, and none was kept: nothing is ready, nothing is allowed.
	if code, text := ready(t, at); code != http.StatusServiceUnavailable || !strings.Contains(text, "policy failed") || !strings.Contains(text, "bundle policy never_came") {
		t.Errorf("without a policy: %d %s", code, text)
	}
	if r := alice.Call(t, "desk__look", "{}"); r.Code() != string(gateway.CodePolicyUnavailable) {
		t.Errorf("a call without a policy: %s", r.Body)
	}
	if e := s.OneEvent(t); e.Type != audit.ToolRefused || len(e.Reasons) != 1 || e.Reasons[0] != gateway.ReasonPolicyAbsent {
		t.Errorf("its event: %+v", e)
	}
	if r := alice.Ask(protocol.MethodToolsList, "").Send(t); r.Code() != string(gateway.CodePolicyUnavailable) {
		t.Errorf("a list without a policy: %s", r.Body)
	}

	asked := func(what string, holds func(st deliver.Status) bool) deliver.Status {
		t.Helper()
		var st deliver.Status
		if err := s.Gateway.Reload(t.Context()); err != nil { // it asks at once
			t.Fatal(err)
		}
		stage.Await(t, what, func() bool {
			_, text := get(t, "http://"+at+"/status")
			var all struct{ Bundles map[string]deliver.Status }
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			st = all.Bundles["policy"]
			return holds(st)
		})
		s.Events(t)
		return st
	}
	decided := func(effect gateway.Effect, st deliver.Status) {
		t.Helper()
		r := alice.Call(t, "desk__look", "{}")
		e := s.OneEvent(t)
		if e.Effect != effect || r.IsError() == (effect == gateway.Allow) || !strings.HasPrefix(st.Revision, string(e.Policy)) || e.Policy == "" {
			t.Errorf("%s by %s, want %s by %s: %s", e.Effect, e.Policy, effect, st.Revision, r.Body)
		}
	}

	first := p.pack(t, "allow if true", 1)
	p.offer(first)
	st := asked("the first policy", func(st deliver.Status) bool { return st.Sequence == 1 })
	decided(gateway.Allow, st)
	if code, text := ready(t, at); code != http.StatusOK || !strings.Contains(text, "policy ok") ||
		!strings.Contains(text, "bundle policy in_force from=service revision="+st.Revision+" sequence=1 activated="+st.Taken.UTC().Format(time.RFC3339)+" age=") ||
		!strings.Contains(text, " error=none\n") {
		t.Errorf("with a policy: %d %s", code, text)
	}
	p.offer(p.pack(t, "allow if true\n\ndeny contains \"closed\" if true", 2))
	second := asked("the second policy", func(st deliver.Status) bool { return st.Sequence == 2 })
	decided(gateway.Deny, second)

	bad := p.pack(t, "allow if true", 3)
	p.offer(bad[:len(bad)/2])
	decided(gateway.Deny, asked("a truncated one", func(st deliver.Status) bool { return len(st.Refused) > 0 }))
	p.offer(first)
	rolled := asked("the first again", func(st deliver.Status) bool { return len(st.Refused) > 0 && st.Refused[0] == pack.CodeRolledBack })
	if rolled.Revision != second.Revision {
		t.Errorf("rolled back to %s", rolled.Revision)
	}
	decided(gateway.Deny, rolled)
	if code, text := ready(t, at); code != http.StatusOK || !strings.Contains(text, "revision="+second.Revision) || !strings.Contains(text, " error=bundle_rolled_back\n") {
		t.Errorf("with a policy and a bundle that is refused: %d %s", code, text)
	}
	refused := s.Rows(t, audit.Filter{Type: audit.PolicyRefused})
	if n := strings.Count(string(s.Journal(t)), `"bundle":"policy","reasons":["bundle_`); n != len(refused) {
		t.Errorf("%d of %d refusals name the bundle", n, len(refused))
	}
	if len(refused) != 2 || refused[0].Reasons[0] != pack.CodeUnreadable || refused[1].Reasons[0] != pack.CodeRolledBack {
		t.Errorf("refusals on record: %+v", refused)
	}
	if rows := s.Rows(t, audit.Filter{Type: audit.PolicyLoaded}); len(rows) < 2 || string(rows[len(rows)-1].Policy) != second.Revision {
		t.Errorf("loadings on record: %+v", rows)
	}
	if _, text := get(t, "http://"+at+"/metrics"); !strings.Contains(text, `mcp_gateway_policy_bundle_failures_total{code="bundle_rolled_back"} 1`) ||
		!strings.Contains(text, "mcp_gateway_policy_bundle_last_success_seconds 1.") {
		t.Errorf("metrics:\n%s", text)
	}
	if strings.Contains(s.Log(), canary) || strings.Contains(string(s.Journal(t)), canary) {
		t.Error("the credential of the service is in the log or the journal")
	}
}

// A call under way finishes by the policy that let it go ahead, while the next is
// decided by the new one.
func TestInFlight(t *testing.T) {
	p := newPublisher(t)
	p.offer(p.pack(t, "allow if true", 1))
	gate := make(chan struct{})
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "desk", desk(gate))}, Settings: p.settings(t)})
	alice := s.Host("alice")
	stage.Await(t, "the first policy", func() bool { return alice.Ask(protocol.MethodToolsList, "").Send(t).Status == http.StatusOK })
	done := make(chan *stage.Reply)
	go func() { done <- alice.Call(t, "desk__look", "{}") }()
	<-gate
	p.offer(p.pack(t, "allow if true\n\ndeny contains \"closed\" if true", 2))
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	revisions := func() map[audit.Version]bool {
		all := map[audit.Version]bool{}
		for _, r := range s.Rows(t, audit.Filter{Type: audit.PolicyLoaded}) {
			all[r.Policy] = true
		}
		return all
	}
	stage.Await(t, "the second policy", func() bool { return len(revisions()) == 2 })
	if r := alice.Call(t, "desk__look", "{}"); r.Code() != string(gateway.CodeForbidden) {
		t.Errorf("the next call: %s", r.Body)
	}
	gate <- struct{}{}
	if r := <-done; r.IsError() {
		t.Errorf("the call under way: %s", r.Body)
	}
}

// What was taken serves the next start without the service.
func TestStartWithoutTheService(t *testing.T) {
	p := newPublisher(t)
	p.offer(p.pack(t, "allow if true", 1))
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "desk", desk(nil))}, Settings: p.settings(t)})
	stage.Await(t, "the bundle is kept", func() bool {
		kept, err := filepath.Glob(s.Path("var/policy/*.tar.gz"))
		return err == nil && len(kept) == 1
	})
	p.Close()
	next, err := run.Open(t.Context(), run.Options{ConfigPath: s.Path("upstreams.yaml"), Version: stage.Version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := next.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := next.Refresh(t.Context(), "desk"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(next.Handler())
	defer server.Close()
	if r := stage.NewHost(server.URL, s.Host("alice").Key()).Call(t, "desk__look", "{}"); r.IsError() {
		t.Errorf("%s", r.Body)
	}
}
