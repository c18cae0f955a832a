package promises

import (
	"strings"
	"testing"

	"mcp-gateway/audit"
	"mcp-gateway/test/stage"
)

// Arguments are kept only where that is configured, encrypted, of calls that were let
// through and of those that were refused; each look at them is on record, with who
// and why, before anything is shown.
func TestDetail(t *testing.T) {
	const secret = "the-very-argument"
	g := open(t, "audit: {detail: {keep: 2h}}\n")
	g.call(t, g.alice, reading, `{"q":"`+secret+`"}`)
	g.call(t, g.Host("mallory"), reading, `{"q":"`+secret+`"}`)
	decided := only(g.events(t), audit.ToolFinished)
	if len(decided) == 0 {
		t.Fatal("no call was let through")
	}
	id := decided[0].Action.String()
	stage.Await(t, "the arguments are kept", func() bool {
		_, err := g.run(t, "detail", id, "--reason", "dispute")
		return err == nil
	})
	before := len(only(g.events(t), audit.DetailRead))
	shown, err := g.run(t, "detail", id, "--reason", "incident")
	if err != nil || shown != `{"q":"`+secret+`"}`+"\n" {
		t.Errorf("shown %q, %v", shown, err)
	}
	looks := only(g.events(t), audit.DetailRead)
	if len(looks) != before+1 {
		t.Fatalf("%d looks are on record, want %d", len(looks), before+1)
	}
	if last := looks[len(looks)-1]; last.Action.String() != id || last.Approver == "" || len(last.Reasons) != 1 || last.Reasons[0] != "incident" {
		t.Errorf("the look: %+v", last)
	}
	for _, args := range [][]string{
		{"detail", id}, {"detail", id, "--reason", "curiosity"}, {"detail", "nonsense", "--reason", "dispute"},
		{"detail", "01a22a90-0000-7000-8000-000000000001", "--reason", "dispute"},
	} {
		if out, err := g.run(t, args...); err == nil || strings.Contains(out, secret) {
			t.Errorf("%v: %q, %v", args, out, err)
		}
	}
	if n := len(only(g.events(t), audit.DetailRead)); n != len(looks) {
		t.Errorf("%d looks on record, want %d", n, len(looks))
	}
	if leaks := g.Leaks(t, secret); len(leaks) > 0 {
		t.Errorf("kept in clear: %v", leaks)
	}
}

// Without the configuration nothing is kept.
func TestNoDetail(t *testing.T) {
	g := open(t, "")
	g.call(t, g.alice, reading, `{"q":"x"}`)
	id := only(g.events(t), audit.ToolDecided)[0].Action.String()
	if out, err := g.run(t, "detail", id, "--reason", "dispute"); err == nil {
		t.Errorf("shown %q", out)
	}
}
