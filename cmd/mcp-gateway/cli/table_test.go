package cli

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
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

// A table for people fits a terminal, names what its rows are about in full, and is whole
// in a pipe and in every other format.
func TestNarrowTable(t *testing.T) {
	long := strings.Repeat("reviewed ", 30)
	table := &Table{Columns: []string{"name", "why", "hidden", "n"}, Narrow: []string{"name", "n", "why"}}
	name := "up/" + strings.Repeat("x", 60)
	table.Add(name, long, "not shown", "1")
	for _, most := range []int{120, 200} {
		row := table.narrowed(most).Rows[0]
		wide := gap * len(row)
		for _, cell := range row {
			wide += utf8.RuneCountInString(cell)
		}
		if row[0] != name || !strings.HasSuffix(row[2], "…") || wide != most {
			t.Errorf("%d wide of %d: %q", wide, most, row)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	t.Setenv("COLUMNS", "80")
	if err := errors.Join(table.Write(w, "table"), w.Close()); err != nil {
		t.Fatal(err)
	}
	piped, err := io.ReadAll(r)
	if text := string(piped); err != nil || !strings.Contains(text, name) || strings.Contains(text, "not shown") || !strings.Contains(text, long) {
		t.Errorf("%v, in a pipe: %q", err, text)
	}
	var whole strings.Builder
	if err := table.Write(&whole, "csv"); err != nil || !strings.Contains(whole.String(), long+",not shown,1") {
		t.Errorf("%v, %q", err, whole.String())
	}
}

// What a proposed command leaves open is nobody's word.
func TestWritten(t *testing.T) {
	for args, refused := range map[string]bool{
		"--why …": true, "--why ...": true, "--waive directive=…": true, "--waive a=b --waive c=..": true,
		"--why e.g.": false, "--why overdue…": false, "--waive a=b": false, "": false, "--file .": true,
	} {
		cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error { return Written(cmd) }, SilenceUsage: true, SilenceErrors: true}
		cmd.Flags().String("why", "…", "") // a default is nobody's word either, and not one that was given
		cmd.Flags().StringArray("waive", nil, "")
		cmd.Flags().String("file", "", "")
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); (err != nil) != refused {
			t.Errorf("%s: %v", args, err)
		}
	}
}
