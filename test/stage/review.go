package stage

import (
	"fmt"
	"strings"
	"testing"

	"mcp-gateway/gateway"
)

const signature = ", owner: stage, why: it is tested, approved_by: stage, approved_at: 2026-09-01"

// Read is the record of a tool that only reads, for whom holds all the scopes.
func Read(scopes ...string) string {
	return "side_effect: read, reversible: yes, outbound: no, open_world: no, reads_private: no, untrusted_content: no, " +
		"idempotent: yes, scopes: [" + quoted(scopes) + "]" + signature
}

// Write is the record of a write that the shipped policy lets through: it can
// be taken back and reaches nobody outside.
func Write(scopes ...string) string {
	return "side_effect: write, reversible: yes, outbound: no, scopes: [" + quoted(scopes) +
		"], waive: {external_id: it is tested}" + signature
}

// Outbound is the record of a write about which the shipped policy asks.
func Outbound(scopes ...string) string {
	return strings.Replace(Write(scopes...), "outbound: no", "outbound: yes", 1)
}

func quoted(scopes []string) string { return `"` + strings.Join(scopes, `", "`) + `"` }

// Exposure is an exposure.yaml for all tools as they are listed now.
func (s *Stage) Exposure() string {
	var b strings.Builder
	b.WriteString("version: 1\ntools:\n")
	upstream, last := "", ""
	for _, o := range s.Gateway.Registry().Observations() {
		if o.ID.Name == "" || o.State == gateway.StateMissing || !strings.HasPrefix(string(o.Digest), "sha256-jcs1:") {
			continue
		}
		facts := s.options.Review(o.ID)
		if facts == "" || o.ID.String() == last { // of a name that is listed twice one record is enough
			continue
		}
		last = o.ID.String()
		if o.ID.Upstream != upstream {
			upstream = o.ID.Upstream
			fmt.Fprintf(&b, "  %s:\n", upstream)
		}
		fmt.Fprintf(&b, "    %s: {definition: %q, %s}\n", o.ID.Name, o.Digest, facts)
	}
	if upstream == "" {
		return "version: 1\ntools: {}\n"
	}
	return b.String()
}

// Review writes exposure.yaml for all tools as they are listed now and puts it
// in force.
func (s *Stage) Review(t testing.TB) {
	t.Helper()
	s.Write(t, "exposure.yaml", s.Exposure())
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatalf("reload: %v", err)
	}
}
