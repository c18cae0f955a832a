package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/registry/identity"
	"mcp-gateway/test/stage"
)

// TestMovedUpstream puts another URL under a reviewed name: nothing is sent there, the
// gateway's credential above all, and nothing of the upstream is served until it is back.
func TestMovedUpstream(t *testing.T) {
	t.Parallel()
	peer := func() *stage.Peer { return stage.NewPeer().Add(stage.Tool("t"), stage.Result(stage.Text(`"done"`))) }
	home, elsewhere := httptest.NewServer(peer()), http.HandlerFunc(nil)
	t.Cleanup(home.Close)
	var got atomic.Int64
	elsewhere = func(w http.ResponseWriter, r *http.Request) { got.Add(1); peer().ServeHTTP(w, r) }
	away := httptest.NewServer(elsewhere)
	t.Cleanup(away.Close)
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.At("up", home.URL+"/mcp"), stage.Served(t, "other", peer())}})
	alice := s.Host("alice")
	launch := string(s.Gateway.Registry().Upstream("up").Launch)
	s.Write(t, "exposure.yaml", s.Exposure()+"upstreams:\n  up: {launch: \""+launch+"\"}\n")
	fatal(t, s.Gateway.Reload(t.Context()))
	if r := alice.Call(t, "up__t", `{}`); r.Code() != "" {
		t.Fatalf("as reviewed: %s", r.Body)
	}
	text, err := os.ReadFile(s.Path("upstreams.yaml"))
	fatal(t, err)
	s.Write(t, "upstreams.yaml", strings.Replace(string(text), home.URL, away.URL, 1))
	fatal(t, s.Gateway.Reload(t.Context()))
	if s.Gateway.Refresh(t.Context(), "up") == nil {
		t.Error("it gives a list")
	}
	if slices.Contains(alice.List(t), "up__t") {
		t.Error("its tool is listed")
	}
	s.Events(t)
	r := alice.Call(t, "up__t", `{}`)
	if row := s.OneEvent(t); r.Code() != string(gateway.CodeUnknownTool) || !slices.Equal(row.Reasons, []gateway.Reason{gateway.ReasonLaunchChanged}) {
		t.Errorf("called: %s, on record %+v", r.Body, row)
	}
	rows := s.Rows(t, audit.Filter{Type: audit.UpstreamChanged, Upstream: "up"})
	if last := rows[len(rows)-1]; !slices.Equal(last.Reasons, []gateway.Reason{gateway.ReasonLaunchChanged}) {
		t.Errorf("on record as %+v", last)
	}
	if got.Load() != 0 {
		t.Errorf("%d requests went elsewhere", got.Load())
	}
	if r := alice.Call(t, "other__t", `{}`); r.Code() != "" {
		t.Errorf("the other upstream: %s", r.Body)
	}
	s.Write(t, "upstreams.yaml", string(text))
	fatal(t, s.Gateway.Reload(t.Context()))
	fatal(t, s.Gateway.Refresh(t.Context(), "up"))
	if r := alice.Call(t, "up__t", `{}`); r.Code() != "" {
		t.Errorf("once it is back: %s", r.Body)
	}
}

// TestDeclaredFiles reviews the files that make up an upstream while it is served: what it
// is, is measured with them at once, and it goes on.
func TestDeclaredFiles(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Process("up", "banner")}})
	alice, registry := s.Host("alice"), s.Gateway.Registry()
	facts := func() *identity.Facts { return identity.Parse(registry.Lists()[0].Facts) }
	review := func(f *identity.Facts, files string) {
		t.Helper()
		s.Write(t, "exposure.yaml", s.Exposure()+"upstreams:\n  up: {identity: \""+string(f.Digest())+"\", launch: \""+string(f.Launch())+"\""+files+"}\n")
		fatal(t, s.Gateway.Reload(t.Context()))
	}
	called := func(when string, want gateway.Code) {
		t.Helper()
		if r := alice.Call(t, "up__echo", `{"x":1}`); r.Code() != string(want) {
			t.Errorf("%s: %s", when, r.Body)
		}
	}
	plain := facts()
	review(plain, "")
	called("without files", "")
	for _, text := range []string{"first", "second"} { // the file is put in place and reviewed
		digest := identity.Bytes([]byte(text))
		s.Write(t, "srv.py", text)
		whole := *plain
		whole.Files = map[string]gateway.Digest{"srv.py": digest}
		review(&whole, ", files: {srv.py: \""+string(digest)+"\"}")
		called(text, "")
		if got := facts().Files["srv.py"]; got != digest {
			t.Errorf("%s is measured as %s", text, got)
		}
	}
	review(plain, ", files: {srv.py: \""+string(identity.Bytes([]byte("second")))+"\"}")
	called("reviewed as another", gateway.CodeUnknownTool)
	review(plain, "")
	called("without files again", "")
}
