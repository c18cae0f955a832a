package whois

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/config"
	"mcp-gateway/gateway"
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
	if Of(c, nil, "up", &registry.Listing{}, want) == Of(c, nil, "up", &registry.Listing{}, "sha256:0") {
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
		d := Of(c, x, "up", &registry.Listing{}, "")
		if other, twice := seen[d]; twice {
			t.Errorf("%q is as %q", text, other)
		}
		seen[d] = text
	}
}
