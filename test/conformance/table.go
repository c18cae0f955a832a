package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"unicode/utf8"

	"mcp-gateway/test/conformance/checks"
)

// conclude prints every set with all its columns, then what the gate says.
func (r *runner) conclude(required checks.Required, expected checks.Expected, runs map[string]checks.Report) error {
	held, missed := 0, 0
	open := true
	for _, set := range slices.Sorted(maps.Keys(r.direct)) {
		must := required[set]
		direct := checks.Judge(r.direct[set], r.direct[set], must, expected["direct "+set])
		dead := checks.Judge(r.dead[set], r.direct[set], must, nil)
		var cols []Column
		verdicts := map[string]checks.Verdict{}
		for _, c := range columns() {
			if run, ran := runs[c.Name]; ran && c.Set == set {
				cols = append(cols, c)
				verdicts[c.Name] = checks.Judge(run, r.direct[set], must, expected[c.Name])
			}
		}
		if err := writeTable(os.Stdout, set, must, r.direct[set], runs, cols); err != nil {
			return err
		}
		// What the reference fails without any gateway is the fixture's fault.
		open = report("direct", direct) && open
		held, missed = held+direct.Held, missed+len(direct.Findings)
		for _, c := range cols {
			v := verdicts[c.Name]
			open = report(c.Name, v) && open
			held, missed = held+v.Held, missed+len(v.Unexcused())
		}
		open = control(set, dead) && open
	}
	fmt.Printf("\nconformance: %d passed, %d failed\n", held, missed)
	if !open {
		return errGate
	}
	return nil
}

// control holds the gate itself against a dead port: nothing that is required
// may succeed there, or it would be required in vain.
func control(set string, dead checks.Verdict) bool {
	if dead.Held == 0 && !dead.OK() {
		fmt.Printf("  dead port: shut, none of %d required checks holds\n", len(dead.Findings))
		return true
	}
	fmt.Printf("  dead port: %d checks required of %s hold where nobody listens\n", dead.Held, set)
	return false
}

// report prints what the gate says of one column.
func report(name string, v checks.Verdict) bool {
	fmt.Printf("  %s: %d required checks hold, %d do not, %d are excused\n",
		name, v.Held, len(v.Unexcused()), len(v.Findings)-len(v.Unexcused()))
	for _, f := range v.Findings {
		mark := "FAIL"
		if f.Why != "" {
			mark = "excused"
		}
		fmt.Printf("    %-7s %s %s %s\n", mark, f.Name(), f.Status, clip(f.Message, 200))
	}
	for _, name := range v.Stale {
		fmt.Printf("    STALE   %s is excused, but nothing is wrong with it\n", name)
	}
	return v.OK()
}

// writeTable prints a row per scenario: checks that succeeded out of those that
// do directly, and whether the suite calls it passed.
func writeTable(w io.Writer, set string, must map[string]*checks.Duty, direct checks.Report, runs map[string]checks.Report, cols []Column) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\tdirect", set)
	for _, c := range cols {
		fmt.Fprintf(t, "\t%s", c.Title)
	}
	fmt.Fprintln(t)
	passed := make([]int, len(cols)+1)
	scored := 0
	for _, name := range slices.Sorted(maps.Keys(must)) {
		row := []checks.Scenario{direct[name]}
		for _, c := range cols {
			row = append(row, runs[c.Name][name])
		}
		label := name
		if must[name].Scored {
			scored++
		} else {
			label += " (unscored)"
		}
		fmt.Fprint(t, label)
		for i, s := range row {
			mark := "-"
			if s.Passed() && s.Succeeded() >= direct[name].Succeeded() {
				mark = "+"
			}
			if s.Passed() && must[name].Scored {
				passed[i]++
			}
			fmt.Fprintf(t, "\t%s %d/%d", mark, s.Succeeded(), direct[name].Succeeded())
		}
		fmt.Fprintln(t)
	}
	fmt.Fprint(t, "scored scenarios passed")
	for _, n := range passed {
		fmt.Fprintf(t, "\t%d/%d", n, scored)
	}
	fmt.Fprintln(t)
	return errors.Join(t.Flush())
}

func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
