package failclosed

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// A secret that one upstream lacks keeps that one down, says so where it is asked for,
// and is taken up by the reload that finds it; the other is served all along.
func TestASecretThatOneUpstreamLacks(t *testing.T) {
	peer := stage.NewPeer().Add(stage.Tool("tool"), stage.Result(`{}`))
	other := stage.NewPeer().Add(stage.Tool("tool"), stage.Result(`{}`))
	file := t.TempDir() + "/secret"
	put := func() {
		if err := os.WriteFile(file, []byte("bearer-of-the-upstream\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put()
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{
		stage.Served(t, "keyed", peer).Bearer("file:" + file), stage.Served(t, "open", other),
	}})
	alice := s.Host("alice")
	calls := func(tool string) string { return alice.Call(t, tool, "{}").Code() }
	if code := calls("keyed__tool"); code != "" {
		t.Fatalf("with its secret: %s", code)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatalf("a reload without the secret: %v", err)
	}
	peer.Calls()
	r := alice.Call(t, "keyed__tool", "{}")
	if r.Code() != string(gateway.CodeUnavailable) || r.Get("/_meta/mcp-gateway~1error/reasons") != `["secret_missing"]` || len(peer.Calls()) != 0 {
		t.Errorf("without its secret: %s", r.Body)
	}
	if code := calls("open__tool"); code != "" {
		t.Errorf("the other upstream: %s", code)
	}
	_, err := run.Validate(t.Context(), s.Path("upstreams.yaml"))
	var problems gateway.Problems
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Code != "secret_missing" || problems[0].Pos.Line == 0 {
		t.Errorf("validate says %v", err)
	}
	stage.Await(t, "the log says why", func() bool { return strings.Contains(s.Log(), "a secret that its configuration names is not there") })
	put()
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	stage.Await(t, "the upstream is back", func() bool { return calls("keyed__tool") == "" })
}
