package hosts

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/legacy"
	"mcp-gateway/test/stage"
)

// later opens a second gateway on a stage, whose clock is as far ahead as the
// test says, and returns alice before it.
func later(t *testing.T) (*stage.Host, *atomic.Int64) {
	t.Helper()
	s, _ := open(t)
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	g, err := run.Open(t.Context(), run.Options{ConfigPath: s.Path("upstreams.yaml"), Version: stage.Version, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g.Handler())
	t.Cleanup(func() {
		front.Close()
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return stage.NewHost(front.URL, s.Host("alice").Key()), &ahead
}

func TestASessionExpiresWhenIdle(t *testing.T) {
	alice, ahead := later(t)
	id := begin(t, alice, protocol.Revision20251125)
	ping := func() *stage.Reply {
		return alice.Legacy(protocol.Revision20251125, id, protocol.MethodPing, "").Send(t)
	}
	for range 3 { // each request begins its time anew
		ahead.Add(int64(legacy.DefaultIdle - time.Minute))
		if r := ping(); r.Status != 200 {
			t.Fatalf("before its time: %d %s", r.Status, r.Body)
		}
	}
	ahead.Add(int64(legacy.DefaultIdle + time.Second))
	if r := ping(); r.Status != 404 || r.Code() != "session_unknown" {
		t.Errorf("after its time: %d %s", r.Status, r.Body)
	}
}

func TestSessionsOfOnePrincipalAreLimited(t *testing.T) {
	alice, ahead := later(t)
	for range legacy.DefaultPerPrincipal {
		begin(t, alice, protocol.Revision20251125)
	}
	initial := alice.Legacy("", "", protocol.MethodInitialize, `"protocolVersion":"2025-11-25",`+initialize)
	r := initial.Send(t)
	if r.Status != 429 || r.Code() != "session_limit" || r.Header.Get("Retry-After") == "" || r.Header.Get(protocol.HeaderSession) != "" {
		t.Errorf("one too many: %d %s %v", r.Status, r.Body, r.Header)
	}
	ahead.Add(int64(legacy.DefaultIdle + time.Second))
	if r := initial.Send(t); r.Status != 200 {
		t.Errorf("once the others expired: %d %s", r.Status, r.Body)
	}
}
