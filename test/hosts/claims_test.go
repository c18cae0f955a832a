package hosts

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// TestSubscriptionsByClaims holds that a rule about what a host says of itself refuses
// it a subscription as it refuses it the reading.
func TestSubscriptionsByClaims(t *testing.T) {
	_, up := runbooks(t, "modern")
	const rules = "package mcp.gateway\n\nvisible contains id if some id, _ in input.resources\n\nallow if true\n\n" +
		"deny contains \"wild_host\" if input.context.host_untrusted.name == \"wild\"\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.rego"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{up}, Settings: "policy: {dir: " + dir + ", timeout: 10s}\n"})
	alice := s.Host("alice")
	for name, want := range map[string]string{"wild": string(gateway.CodeForbidden), "tame": ""} {
		began := alice.Legacy("", "", protocol.MethodInitialize,
			`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+name+`","version":"1"}`).Send(t)
		session := began.Header.Get(protocol.HeaderSession)
		for _, method := range []string{protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe} {
			r := alice.Legacy(protocol.Revision20251125, session, method, `"uri":"runbook://desk/plain"`).Send(t)
			if r.Code() != want {
				t.Errorf("%s by %s: %q, want %q: %s", method, name, r.Code(), want, r.Body)
			}
		}
	}
}
