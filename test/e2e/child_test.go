package e2e

import (
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

// TestBadChildren starts processes that misbehave beside one that does not.
func TestBadChildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := stage.Open(t, stage.Options{
		Upstreams: []stage.Upstream{
			stage.Process("floods", "floods"), stage.Process("banner", "banner"), stage.Process("dies", "dies"),
			stage.Process("waits", "waits", dir+"/heard").With("timeout: 300ms"),
			stage.Process("exits", "exits").Unmet(), stage.Process("silent", "silent").Unmet(),
		},
		// A write that dies or waits may have run.
		Review: func(id toolID) string {
			if id.Upstream == "dies" {
				return stage.Write("use")
			}
			return stage.Read("use")
		},
	})
	alice := s.Host("alice")
	served := func(when string) {
		t.Helper()
		for _, tool := range []string{"floods__echo", "banner__echo"} {
			if r := alice.Call(t, tool, `{"x":1.0}`); r.Code() != "" || r.Get("/echo") != `{"x":1.0}` {
				t.Errorf("%s %s: %s", tool, when, r.Body)
			}
			if row := s.OneEvent(t); row.Outcome != gateway.OutcomeCommitted {
				t.Errorf("%s %s: on record %+v", tool, when, row)
			}
		}
	}
	served("at first")
	for _, tt := range []struct {
		name, tool string
		code       gateway.Code
		reason     gateway.Reason
		outcome    gateway.Outcome
		typ        audit.Type
	}{
		{"exits while it is called", "dies__die", gateway.CodeOutcomeUnknown, "exited", gateway.OutcomeUnknown, audit.ToolDecided},
		{"stays silent while it is called", "waits__wait", gateway.CodeTimeout, "", gateway.OutcomeFailed, audit.ToolDecided},
		{"exits at once", "exits__any", gateway.CodeUnknownTool, gateway.ReasonToolAbsent, "", audit.ToolRefused},
		{"never says a word", "silent__any", gateway.CodeUnknownTool, gateway.ReasonToolAbsent, "", audit.ToolRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := alice.Call(t, tt.tool, `{}`)
			sane(t, reply)
			row := s.OneEvent(t)
			if reply.Code() != string(tt.code) || row.Code != tt.code || row.Outcome != tt.outcome || row.Type != tt.typ {
				t.Errorf("answer is %s, on record %+v", reply.Body, row)
			}
			if tt.reason != "" && (len(row.Reasons) != 1 || row.Reasons[0] != tt.reason) {
				t.Errorf("reasons are %q, want %q", row.Reasons, tt.reason)
			}
			served("after " + tt.name)
		})
	}
	// The one that died comes back by itself.
	stage.Await(t, "the process is started again", func() bool {
		return s.Gateway.Refresh(t.Context(), "dies") == nil
	})
	s.Events(t)
	if r := alice.Call(t, "dies__die", `{}`); r.Code() != string(gateway.CodeOutcomeUnknown) {
		t.Errorf("called again: %s", r.Body)
	}
}
