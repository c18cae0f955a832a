package stage

import (
	"fmt"
	"slices"
	"strconv"
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

// Reviewed is the record of a prompt, a resource or a template, for whom holds all
// the scopes.
func Reviewed(scopes ...string) string {
	return "reads_private: no, untrusted_content: no, scopes: [" + quoted(scopes) + "]" + signature
}

// Exposure is an exposure.yaml for everything as it is listed now.
func (s *Stage) Exposure() string {
	return "version: 1\n" +
		s.section("tools", s.options.Review, gateway.KindTool) +
		s.section("prompts", s.options.Others, gateway.KindPrompt) +
		s.section("resources", s.options.Others, gateway.KindResource, gateway.KindTemplate)
}

// section is the text for what is listed of some kinds.
func (s *Stage) section(name string, review func(gateway.ItemID) string, kinds ...gateway.Kind) string {
	var b strings.Builder
	upstream, last := "", ""
	for _, o := range s.Gateway.Registry().Observations() {
		if o.ID.Name == "" || o.State == gateway.StateMissing || !strings.HasPrefix(string(o.Digest), "sha256-jcs1:") ||
			!slices.Contains(kinds, o.ID.Kind) {
			continue
		}
		facts := review(o.ID)
		if facts == "" || o.ID.String() == last { // of a name that is listed twice one record is enough
			continue
		}
		last = o.ID.String()
		if o.ID.Upstream != upstream {
			upstream = o.ID.Upstream
			fmt.Fprintf(&b, "  %s:\n", upstream)
		}
		key := o.ID.Name
		if strings.ContainsAny(key, ":{") {
			key = strconv.Quote(key)
		}
		fmt.Fprintf(&b, "    %s: {definition: %q, %s}\n", key, o.Digest, facts)
	}
	if upstream == "" {
		return name + ": {}\n"
	}
	return name + ":\n" + b.String()
}

// Review writes exposure.yaml for everything as it is listed now and puts it
// in force.
func (s *Stage) Review(t testing.TB) {
	t.Helper()
	s.Write(t, "exposure.yaml", s.Exposure())
	if err := s.Gateway.Reload(t.Context()); err != nil {
		t.Fatalf("reload: %v", err)
	}
}
