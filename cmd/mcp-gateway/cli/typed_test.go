package cli

import (
	"strings"
	"testing"
	"time"
)

// JSON has values of their kind under names in snake_case; an extra cell takes the place
// of a column of its name, and stands nowhere else.
func TestJSONHasKinds(t *testing.T) {
	at := time.Date(2026, 9, 1, 12, 0, 0, 5_000_000, time.FixedZone("", 7200))
	table := &Table{
		Columns: []string{"time", "rows", "share %", "lethal", "scopes", "external id", "who"}, Extra: []string{"who"},
		Kinds: map[string]Kind{"time": Time, "rows": Number, "share %": Number, "lethal": Bool, "scopes": List},
	}
	table.Add(Stamp(at), "265", "0.5", "true", "a, b", "7", "carol by key k", "carol")
	table.Add("", "", "-", "", "", "", "", "")
	var out strings.Builder
	if err := table.Write(&out, "jsonl"); err != nil {
		t.Fatal(err)
	}
	const want = `{"external_id":"7","lethal":true,"rows":265,"scopes":["a","b"],"share_percent":0.5,"time":"2026-09-01T10:00:00.005Z","who":"carol"}
{"external_id":"","lethal":null,"rows":null,"scopes":[],"share_percent":"-","time":null,"who":""}
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := table.Write(&out, "csv"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(strings.SplitN(out.String(), "\n", 3)[1], `,7,carol by key k`) {
		t.Errorf("%s", out.String())
	}
}
