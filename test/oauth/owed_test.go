package oauth

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestWhatPolicyAsksOfTokens holds what a policy may ask of a token beyond its
// validity: further scopes, which are told all at once, and that the person signed in
// not long ago.
func TestWhatPolicyAsksOfTokens(t *testing.T) {
	dir := t.TempDir()
	const rules = `package mcp.gateway

import data.mcp.lib

visible := lib.entitled

allow if lib.permitted

obligations contains lib.step_up(["desk:ask", "desk:more"]) if lib.tool("desk", "ask")

obligations contains lib.fresh_authentication(600) if lib.tool("desk", "admin")
`
	if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newAuthority(t, public+"/mcp")
	up := desktop()
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{stage.Served(t, "desk", up)},
		Settings:  "policy: {dir: " + dir + ", timeout: 10s}\n",
		Review:    func(gateway.ItemID) string { return stage.Read("use") },
		Auth:      issuer(a, ""), Listen: fmt.Sprintf("url: %q", public),
	})
	host := func(scopes ...string) *stage.Host {
		return stage.NewHost(s.URL, a.login(t, desk, append(scopes, "use")...).access)
	}
	for _, c := range []struct {
		name string
		host *stage.Host
		tool string
		code gateway.Code
		says string // of the challenge, or of the answer where there is none
	}{
		{"no further scope", host(), "ask", gateway.CodeInsufficientScope, `error="insufficient_scope"`},
		{"one of two", host("desk:ask"), "ask", gateway.CodeInsufficientScope, `scope="desk:ask desk:more"`},
		{"both", host("desk:ask", "desk:more"), "ask", "", ""},
		{"nobody knows since when", host(), "admin", gateway.CodeForbidden, string(gateway.ReasonAuthentication)},
		{"too long ago", host("since:11m"), "admin", gateway.CodeForbidden, string(gateway.ReasonAuthentication)},
		{"lately", host("since:1m"), "admin", "", ""},
		{"in the future", host("since:-20m"), "admin", gateway.CodeForbidden, string(gateway.ReasonAuthentication)},
		{"any time, where policy does not ask", host("since:11m"), "look", "", ""},
	} {
		up.Calls()
		r := c.host.Call(t, "desk__"+c.tool, "{}")
		said := r.Header.Get("WWW-Authenticate")
		if stepUp := c.code == gateway.CodeInsufficientScope; stepUp != (said != "") || stepUp != (r.Status == http.StatusForbidden) {
			t.Errorf("%s: %d, challenge %q", c.name, r.Status, said)
		}
		if said == "" {
			said = string(r.Body)
		}
		if n := len(up.Calls()); r.Code() != string(c.code) || !strings.Contains(said, c.says) || (n > 0) != (c.code == "") {
			t.Errorf("%s: %d %s, %d calls reached the upstream", c.name, r.Status, r.Body, n)
		}
	}
}
