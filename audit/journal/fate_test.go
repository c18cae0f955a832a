package journal_test

import (
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
	"mcp-gateway/gateway"
)

func TestFateOf(t *testing.T) {
	dir := t.TempDir()
	j, err := journal.Open(dir, journal.Options{Replica: "r"})
	if err != nil {
		t.Fatal(err)
	}
	write := func(typ audit.Type, action audit.ID, outcome gateway.Outcome) audit.Position {
		at, err := j.Append(t.Context(), &audit.Event{Type: typ, Action: action, Outcome: outcome}, audit.Process)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	done, open, again, never := audit.NewID(time.Now()), audit.NewID(time.Now()), audit.NewID(time.Now()), audit.NewID(time.Now())
	first := write(audit.ToolDecided, done, "")
	openAt := write(audit.ToolDecided, open, "")
	last := write(audit.ToolFinished, done, gateway.OutcomeCommitted)
	write(audit.ToolDecided, again, "")
	write(audit.ToolFinished, again, gateway.OutcomeAwaiting)
	second := write(audit.ToolDecided, again, "")
	if !journal.Alive(dir, j.Writer()) {
		t.Error("the writer lives")
	}
	for name, tc := range map[string]struct {
		action audit.ID
		want   journal.Fate
	}{
		"finished":                   {done, journal.Fate{Decided: first, Finished: last, Outcome: gateway.OutcomeCommitted}},
		"open":                       {open, journal.Fate{Decided: openAt}},
		"open again after it waited": {again, journal.Fate{Decided: second}},
		"never decided":              {never, journal.Fate{}},
	} {
		got, err := journal.FateOf(t.Context(), dir, j.Writer(), tc.action)
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, tc.want)
		}
	}
	w, ok := journal.ParseWriter(j.Writer().String())
	if err := j.Close(t.Context()); err != nil || !ok || w != j.Writer() {
		t.Error(err, w)
	}
	if journal.Alive(dir, w) {
		t.Error("the writer is gone")
	}
	if got, err := journal.FateOf(t.Context(), dir, journal.Writer{Replica: "x", Boot: 9}, done); err != nil || got != (journal.Fate{}) {
		t.Errorf("%+v %v", got, err)
	}
}
