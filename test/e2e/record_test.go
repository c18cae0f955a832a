package e2e

import (
	"slices"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestTenants holds that what a reviewer keeps to some tenants is absent for all
// others, whatever scopes they hold and whatever policy says.
func TestTenants(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer()
	for _, name := range []string{"ours", "theirs", "anyones"} {
		peer.Add(stage.Tool(name), stage.Result(`{}`))
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
		Review: func(id toolID) string {
			tenants := map[string]string{"up/ours": ", tenants: [other, test]", "up/theirs": ", tenants: [other]"}
			return stage.Read("use") + tenants[id.String()]
		},
	})
	for range 2 { // the second time from the private cache
		if got, want := s.Host("alice").List(t), []string{"up__anyones", "up__ours"}; !slices.Equal(got, want) {
			t.Errorf("listed are %v, want %v", got, want)
		}
	}
	if r := s.Host("alice").Call(t, "up__theirs", `{}`); r.Code() != string(gateway.CodeUnknownTool) {
		t.Errorf("a tool of another tenant answers %s", r.Body)
	}
	if r := s.Host("alice").Call(t, "up__ours", `{}`); r.Code() != "" {
		t.Errorf("a tool of this tenant answers %s", r.Body)
	}
}

// TestEvidenceInForce holds that a write whose record names evidence that its
// output schema does not guarantee is not served, and the others are.
func TestEvidenceInForce(t *testing.T) {
	t.Parallel()
	peer := stage.NewPeer()
	const schemas = `"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}`
	for _, name := range []string{"proved", "hoped"} {
		peer.Add(`{"name":"`+name+`",`+schemas+`}`, stage.Result(`{"id":"1"}`))
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "up", peer)},
		Review: func(id toolID) string {
			pointer := map[string]string{"up/proved": "/id", "up/hoped": "/note"}[id.String()]
			return "side_effect: write, reversible: yes, outbound: no, scopes: [use], evidence: {external_id: " + pointer + "}, " +
				"owner: stage, why: it is tested, approved_by: stage, approved_at: 2026-09-01"
		},
	})
	if got := s.Host("alice").List(t); !slices.Equal(got, []string{"up__proved"}) {
		t.Errorf("listed are %v", got)
	}
	if r := s.Host("alice").Call(t, "up__hoped", `{}`); r.Code() != string(gateway.CodeUnknownTool) {
		t.Errorf("it answers %s", r.Body)
	}
}
