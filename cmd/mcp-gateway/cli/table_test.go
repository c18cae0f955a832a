package cli

import (
	"strings"
	"testing"
)

// What a spreadsheet would take for a formula is text in it; numbers and the rest stay
// as they are.
func TestCSVHoldsNoFormulas(t *testing.T) {
	table := &Table{Columns: []string{"name", "n"}}
	for _, name := range []string{"=cmd|' /C calc'!A0", "@SUM(A1)", "+1+1", "-2+3", "\t=1", "alice", "a=b", "-1.5", "+7", "-", ""} {
		table.Add(name, "-4")
	}
	var out strings.Builder
	if err := table.Write(&out, "csv"); err != nil {
		t.Fatal(err)
	}
	const want = "name,n\n'=cmd|' /C calc'!A0,-4\n'@SUM(A1),-4\n'+1+1,-4\n'-2+3,-4\n'\t=1,-4\nalice,-4\na=b,-4\n-1.5,-4\n+7,-4\n-,-4\n,-4\n"
	if out.String() != want {
		t.Errorf("%q\nwant\n%q", out.String(), want)
	}
}
