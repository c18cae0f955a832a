package whois

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/registry"
	"mcp-gateway/registry/identity"
)

// TestWitness holds that who vouches for a host is part of what an upstream is.
func TestWitness(t *testing.T) {
	g := &Registrar{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.VerifyConnection = g.Witness("up").VerifyConnection
	answer, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	want := identity.Bytes(server.Certificate().RawSubjectPublicKeyInfo) // which signs itself
	if got, _ := g.issuers.Load("up"); got != want {
		t.Errorf("vouched for by %v, want %s", got, want)
	}
	c := &config.Config{Upstreams: map[string]*config.Upstream{"up": {HTTP: &config.HTTP{URL: server.URL}}}}
	if Of(c, nil, "up", nil, want).Digest() == Of(c, nil, "up", nil, "sha256:0").Digest() {
		t.Error("another authority makes no difference")
	}
}

// TestDeclaredFiles holds that a declared file's contents are part of what an
// upstream is, and that one which is gone is another.
func TestDeclaredFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "server.js")
	c := &config.Config{Exposure: filepath.Join(dir, "exposure.yaml"),
		Upstreams: map[string]*config.Upstream{"up": {Stdio: &config.Stdio{Command: []string{"node", "server.js"}}}}}
	x := &registry.Exposure{Upstreams: map[string]*registry.UpstreamRecord{"up": {Files: map[string]gateway.Digest{"server.js": ""}}}}
	seen := map[gateway.Digest]string{}
	for _, text := range []string{"", "one", "two"} {
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := Of(c, x, "up", &registry.Listing{}, "").Digest()
		if other, twice := seen[d]; twice {
			t.Errorf("%q is as %q", text, other)
		}
		seen[d] = text
	}
}

// TestNothingIsSentToAnother holds that an upstream over HTTP which is not the reviewed
// one, by its URL or by who vouches for its host, is sent nothing, and is again once it is.
func TestNothingIsSentToAnother(t *testing.T) {
	var got atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	defer server.Close()
	is := identity.Bytes(server.Certificate().RawSubjectPublicKeyInfo)
	c := &config.Config{Upstreams: map[string]*config.Upstream{"up": {HTTP: &config.HTTP{URL: server.URL}}}}
	launch := Launch(c, nil, "up")
	other := gateway.Digest("sha256:" + strings.Repeat("0", 64))
	for name, step := range map[string]struct {
		rec  *registry.UpstreamRecord
		want gateway.Reason
	}{
		"nothing reviewed":     {nil, ""},
		"as reviewed":          {&registry.UpstreamRecord{Launch: launch, Issuer: is}, ""},
		"spelled with hyphens": {&registry.UpstreamRecord{Launch: launch, Issuer: "sha256-" + is[len("sha256:"):]}, ""},
		"another URL":          {&registry.UpstreamRecord{Launch: other, Issuer: is}, gateway.ReasonLaunchChanged},
		"another authority":    {&registry.UpstreamRecord{Launch: launch, Issuer: other}, gateway.ReasonIssuerChanged},
	} {
		g := &Registrar{}
		transport := server.Client().Transport.(*http.Transport).Clone()
		transport.TLSClientConfig.VerifyConnection = g.Witness("up").VerifyConnection
		client := g.Reach(c, "up", &http.Client{Transport: transport})
		x := &registry.Exposure{Upstreams: map[string]*registry.UpstreamRecord{}}
		if step.rec != nil {
			x.Upstreams["up"] = step.rec
		}
		g.Set(c, x)
		got.Store(0)
		answer, err := client.Post(server.URL, "application/json", strings.NewReader("{}"))
		if err == nil {
			answer.Body.Close()
		}
		var e *gateway.Error
		var reason gateway.Reason
		if errors.As(err, &e) {
			reason = e.Reasons[0]
		}
		if reason != step.want || (got.Load() == 1) != (step.want == "") || (err == nil) != (step.want == "") {
			t.Errorf("%s: %v, %d requests", name, err, got.Load())
		}
		if f := g.Facts("up", nil); step.want != gateway.ReasonLaunchChanged && f.Issuer != is {
			t.Errorf("%s: vouched for by %s", name, f.Issuer)
		}
		client.CloseIdleConnections()
	}
}

// TestRecall holds that a command which meets nobody says of an upstream what the gateway
// that met it says, and finds what was reviewed among what was ever seen.
func TestRecall(t *testing.T) {
	c := &config.Config{Upstreams: map[string]*config.Upstream{"up": {HTTP: &config.HTTP{URL: "https://up.example/mcp"}}}}
	ca := gateway.Digest("sha256:" + strings.Repeat("c", 64))
	met := &registry.Listing{Revision: "2025-11-25", Capabilities: []byte(`{"tools":{}}`)}
	first := Of(c, nil, "up", met, ca)
	itself := func(name string, raw []byte, at int64) registry.Seen {
		return registry.Seen{ID: gateway.ItemID{Kind: gateway.KindUpstream, Upstream: "up", Name: name},
			Digest: protocol.DigestOf(raw), Raw: raw, Last: time.Unix(at, 0)}
	}
	history := []registry.Seen{
		itself(registry.ItselfIdentity, first.Object(), 1),
		itself(registry.ItselfInstructions, []byte(`"be nice"`), 3),
		itself(registry.ItselfIdentity, Of(c, nil, "up", met, "sha256:0").Object(), 0),
	}
	g := &Registrar{}
	g.Set(c, &registry.Exposure{})
	g.Recall(history)
	if got := g.Facts("up", met); got.Digest() != first.Digest() {
		t.Errorf("it is %s, was %s", got.Object(), first.Object())
	}
	for name, rec := range map[string]*registry.UpstreamRecord{
		"by its identity": {Identity: first.Digest()},
		"by its launch":   {Launch: first.Launch()},
		"by its issuer":   {Issuer: ca},
	} {
		if got := Reviewed(history, "up", rec); string(got) != string(first.Object()) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := Reviewed(history, "up", &registry.UpstreamRecord{Identity: "sha256:1"}); got != nil {
		t.Errorf("never seen: %s", got)
	}
	if got := Told(history, "up", protocol.DigestOf([]byte(`"be nice"`))); string(got) != `"be nice"` {
		t.Errorf("it told %s", got)
	}
}
