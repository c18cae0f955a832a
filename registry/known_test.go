package registry

import (
	"testing"

	"mcp-gateway/gateway"
)

// Known names what is listed or reviewed, served or not, and nothing else; it resolves
// to no more than before.
func TestKnown(t *testing.T) {
	r := New(Options{})
	x := reviewed("up", tool("served", ""), tool("changed", ""), tool("gone", ""))
	held := reviewed("up", tool("held", ""))
	for id, rec := range held.Items {
		rec.Quarantine = "odd"
		x.Items[id] = rec
	}
	r.SetExposure(x)
	publish(t, r, "up", tool("served", ""), tool("changed", "now"), tool("fresh", ""), tool("held", ""))
	s := r.Snapshot()
	for name, reason := range map[string]gateway.Reason{
		"served": "", "changed": gateway.ReasonDefinitionChanged, "fresh": gateway.ReasonUnreviewed, "held": gateway.ReasonQuarantined,
		"gone": gateway.ReasonToolAbsent, "never": gateway.ReasonToolAbsent,
	} {
		want := "up__" + name
		if name == "never" {
			want = ""
		}
		for scope, called := range map[string]string{"": "up__" + name, "up": name} {
			if got := s.Known(gateway.KindTool, scope, called); got != want {
				t.Errorf("%s in scope %q is known as %q", name, scope, got)
			}
			if _, got := s.Resolve(gateway.KindTool, scope, called); got != reason {
				t.Errorf("%s in scope %q: %q", name, scope, got)
			}
		}
		if got := s.Known(gateway.KindPrompt, "", "up__"+name); got != "" {
			t.Errorf("as a prompt: %q", got)
		}
	}
}
