package e2e

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestWhatNeedsARestart holds that a setting which only a restart changes holds
// nothing else back: a key that is taken out and a review that is taken back are so
// at once.
func TestWhatNeedsARestart(t *testing.T) {
	peer := stage.NewPeer().Add(stage.Tool("keep"), stage.Result(stage.Text(`"done"`))).Add(stage.Tool("leave"), stage.Result(stage.Text(`"done"`)))
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "up", peer)},
	})
	alice, bob := s.Host("alice"), s.Host("bob")
	if names := bob.List(t); len(names) != 2 {
		t.Fatalf("bob sees %q", names)
	}
	text, err := os.ReadFile(s.Path("upstreams.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(l string) bool { return strings.Contains(l, "id: bob") })
	s.Write(t, "upstreams.yaml", strings.Join(lines, "")+"replica: another\n")
	stage.Await(t, "bob is out", func() bool {
		return bob.Ask(protocol.MethodToolsList, "").Send(t).Status == http.StatusUnauthorized
	})
	s.Write(t, "exposure.yaml", strings.Replace(s.Exposure(), "leave:", "left:", 1))
	stage.Await(t, "leave is not served", func() bool { return slices.Equal(alice.List(t), []string{"up__keep"}) })
	if !strings.Contains(s.Log(), "need a restart") || !strings.Contains(s.Log(), `"replica"`) {
		t.Error("the log does not say what waits for a restart")
	}
}
