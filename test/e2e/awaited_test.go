package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestAwaited holds that a reviewed tool whose upstream has not given its list yet is not
// there yet for whom its review lets know of it, and unknown to everybody else; and that
// only what would be served is awaited.
func TestAwaited(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	peer := stage.NewPeer().Add(stage.Tool("tool"), stage.Result(stage.Text(`"late"`)))
	late := stage.Served(t, "late", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		peer.ServeHTTP(w, r)
	})).Unmet()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "eve"}},
		Upstreams:  []stage.Upstream{stage.Served(t, "up", stage.NewPeer().Add(stage.Tool("fine"), stage.Result(stage.Text(`"up"`)))), late},
	})
	record := func(name, upstream, more string) string {
		return "  " + upstream + ":\n    " + name + ": {definition: " + string(protocol.DigestOf([]byte(stage.Tool("tool")))) + ", " + stage.Read("use") + more + "}\n"
	}
	s.Write(t, "exposure.yaml", strings.Replace(s.Exposure(), "tools:\n", "tools:\n"+record("tool", "late", "")+
		strings.TrimPrefix(record("held", "late", ", quarantine: asks"), "  late:\n")+
		strings.TrimPrefix(record("old", "late", ", deprecated: {sunset: 2020-01-01}"), "  late:\n")+
		strings.TrimPrefix(record("theirs", "late", ", tenants: [others]"), "  late:\n")+
		record("tool", "gone", ""), 1))
	fatal(t, s.Gateway.Reload(t.Context()))
	s.Events(t)
	absent := bare(s.Host("eve").Call(t, "late__nothing", `{}`))
	for _, tc := range []struct {
		who, tool string
		want      gateway.Code
		reason    gateway.Reason
	}{
		{"alice", "late__tool", gateway.CodeUnavailable, gateway.ReasonUpstreamDown},
		{"eve", "late__tool", gateway.CodeUnknownTool, gateway.ReasonToolAbsent},
		{"alice", "late__held", gateway.CodeUnknownTool, gateway.ReasonToolAbsent},
		{"alice", "late__old", gateway.CodeUnknownTool, gateway.ReasonToolAbsent},
		{"alice", "late__theirs", gateway.CodeUnknownTool, gateway.ReasonToolAbsent},
		{"alice", "late__nothing", gateway.CodeUnknownTool, gateway.ReasonToolAbsent},
		{"alice", "gone__tool", gateway.CodeUnknownTool, gateway.ReasonToolAbsent}, // of no upstream that there is
	} {
		s.Events(t)
		r := s.Host(tc.who).Call(t, tc.tool, `{}`)
		row := s.OneEvent(t)
		if r.Code() != string(tc.want) || row.Code != tc.want || len(row.Reasons) == 0 || row.Reasons[0] != tc.reason {
			t.Errorf("%s calls %s: %s, on record %s %v", tc.who, tc.tool, r.Body, row.Code, row.Reasons)
		}
		if tc.want == gateway.CodeUnknownTool && bare(r) != absent {
			t.Errorf("%s calls %s: %s, wants %s", tc.who, tc.tool, bare(r), absent)
		}
	}
	if got := s.Host("alice").List(t); len(got) != 1 || got[0] != "up__fine" {
		t.Errorf("lists %v", got)
	}
	up.Store(true)
	// A fetch that began before may be under way still, and be the one that is waited for.
	stage.Await(t, "the list is given", func() bool { return s.Gateway.Refresh(t.Context(), "late") == nil })
	if r := s.Host("alice").Call(t, "late__tool", `{}`); r.Get("/content/0/text") != `"late"` {
		t.Errorf("once it is listed: %s", r.Body)
	}
}
