package oauth

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestRates holds where each rate bites, by which code, and that what is refused
// reaches nobody.
func TestRates(t *testing.T) {
	up := desktop()
	s := stage.Open(t, stage.Options{
		Principals: []stage.Principal{{Name: "alice", Scopes: []string{"use"}}, {Name: "bob", Scopes: []string{"use"}}},
		Upstreams:  []stage.Upstream{stage.Served(t, "desk", up)},
		Settings:   "limits: {rates: {tool: 2/h, upstream: 5/h, principal: 8/h}}\n",
		Review:     func(gateway.ItemID) string { return stage.Read("use") },
	})
	alice, bob := s.Host("alice"), s.Host("bob")
	for range 2 {
		if r := alice.Call(t, "desk__look", "{}"); r.IsError() {
			t.Fatalf("%s", r.Body)
		}
	}
	r := alice.Call(t, "desk__look", "{}")
	if !r.IsError() || r.Code() != string(gateway.CodeRateLimited) || r.Get("/_meta/mcp-gateway~1error/reasons") != `["rate_tool"]` ||
		!strings.Contains(string(r.Body), "Retry after 18") { // half an hour, less what has passed
		t.Errorf("a tool too often: %d %s", r.Status, r.Body)
	}
	rows := s.Events(t)
	if e := rows[len(rows)-1]; e.Type != audit.ToolRefused || e.Code != gateway.CodeRateLimited {
		t.Errorf("event %+v", e)
	}
	for _, tool := range []string{"ticket", "admin", "ask"} {
		if r := alice.Call(t, "desk__"+tool, "{}"); r.IsError() {
			t.Errorf("another tool: %s", r.Body)
		}
	}
	if r := bob.Call(t, "desk__look", "{}"); r.Get("/_meta/mcp-gateway~1error/reasons") != `["rate_upstream"]` {
		t.Errorf("an upstream too often: %s", r.Body)
	}
	if n := len(up.Calls()); n != 5 {
		t.Errorf("%d calls reached the upstream", n)
	}
	for range 2 {
		alice.Ask(protocol.MethodToolsList, "").Send(t)
	}
	body := &untouched{}
	over := alice.Ask(protocol.MethodToolsList, "")
	over.Body = body
	r = over.Send(t)
	if r.Status != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" || r.Code() != string(gateway.CodeRateLimited) {
		t.Errorf("a principal too often: %d %s %s", r.Status, r.Header, r.Body)
	}
	if r := bob.Ask(protocol.MethodToolsList, "").Send(t); r.Status != http.StatusOK {
		t.Errorf("another principal: %d %s", r.Status, r.Body)
	}
}

// TestQuotaAndBudget holds the two that last: destructive calls, and bytes of
// results.
func TestQuotaAndBudget(t *testing.T) {
	dir := t.TempDir()
	const open = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\n" +
		"decision := {\"effect\": \"allow\", \"reasons\": []}\n"
	if err := os.WriteFile(filepath.Join(dir, "open.rego"), []byte(open), 0o600); err != nil {
		t.Fatal(err)
	}
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", desktop())},
		Settings:  "policy: {dir: " + dir + ", timeout: 10s}\nlimits: {rates: {destructive: 1/d, result_bytes: 16KiB/h}}\n",
		Review: func(id gateway.ItemID) string {
			if id.Name == "admin" {
				return strings.Replace(stage.Write("use"), "side_effect: write", "side_effect: destructive", 1)
			}
			return stage.Read("use")
		},
	})
	host := s.Host("alice")
	if r := host.Call(t, "desk__admin", "{}"); r.IsError() {
		t.Fatalf("%s", r.Body)
	}
	if r := host.Call(t, "desk__admin", "{}"); r.Get("/_meta/mcp-gateway~1error/reasons") != `["quota_destructive"]` {
		t.Errorf("a second destructive call: %s", r.Body)
	}
	if r := host.Call(t, "desk__look", "{}"); r.IsError() {
		t.Errorf("a read beside it: %s", r.Body)
	}
	for range 300 {
		if r := host.Call(t, "desk__look", "{}"); r.IsError() {
			if r.Get("/_meta/mcp-gateway~1error/reasons") != `["budget_result_bytes"]` {
				t.Errorf("%s", r.Body)
			}
			return
		}
	}
	t.Error("the budget never ends")
}
