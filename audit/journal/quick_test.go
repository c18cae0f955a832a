package journal

import (
	"testing"

	"mcp-gateway/audit"
)

func TestQuick(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		j, err := Open(dir, Options{Replica: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		e := audit.Event{Type: audit.ToolDecided, Action: audit.NewID(j.now())}
		if _, err := j.Append(t.Context(), &e, audit.Disk); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c := Cursor{}
	if err := Read(t.Context(), dir, c, func(e Entry) error {
		t.Log(string(audit.AppendJSON(nil, e.Event)))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkAppendProcess(b *testing.B) {
	j, err := Open(b.TempDir(), Options{Replica: "r1"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	e := audit.Event{Type: audit.ToolDecided, Action: audit.NewID(j.now()), Principal: "k1:0123456789abcdef0123456789abcdef", Tool: "github__search", Upstream: "github", Args: "k1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
	for b.Loop() {
		if _, err := j.Append(b.Context(), &e, audit.Process); err != nil {
			b.Fatal(err)
		}
	}
}
