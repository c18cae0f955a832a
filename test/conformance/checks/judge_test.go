package checks

import (
	"slices"
	"testing"
)

func names(findings []Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Name()+" "+string(f.Status))
	}
	return all
}

func TestJudge(t *testing.T) {
	good, bad, soft := Tally{Success: 1}, Tally{Success: 2, Failure: 1, Message: "no"}, Tally{Warning: 1}
	required := map[string]*Duty{"a": {Checks: []string{"x", "y"}}, "b": {Checks: []string{"z"}}}
	direct := Report{"a": {"x": good, "y": {Success: 2}, "odd": soft}, "b": {"z": good}}
	for name, tc := range map[string]struct {
		run      Report
		excuses  []Excuse
		open     bool
		held     int
		findings []string
		stale    []string
	}{
		"as direct":                         {run: direct, open: true, held: 3},
		"failing":                           {run: Report{"a": {"x": bad, "y": {Success: 2}}, "b": {"z": good}}, held: 2, findings: []string{"a:x FAILURE"}},
		"warning":                           {run: Report{"a": {"x": soft, "y": {Success: 2}}, "b": {"z": good}}, held: 2, findings: []string{"a:x WARNING"}},
		"skipped":                           {run: Report{"a": {"x": {Skipped: 1}, "y": {Success: 2}}, "b": {"z": good}}, held: 2, findings: []string{"a:x SKIPPED"}},
		"scenario that did not run":         {run: Report{"a": {"x": good, "y": {Success: 2}}}, held: 2, findings: []string{"b:z ABSENT"}},
		"judged less often":                 {run: Report{"a": {"x": good, "y": good}, "b": {"z": good}}, held: 2, findings: []string{"a:y ABSENT"}},
		"something that is not required":    {run: Report{"a": {"x": good, "y": {Success: 2}}, "b": {"z": good, "wire": bad}}, held: 3, findings: []string{"b:wire FAILURE"}},
		"what the reference itself lacks":   {run: Report{"a": {"x": good, "y": {Success: 2}, "odd": soft}, "b": {"z": good}}, open: true, held: 3},
		"nothing at all":                    {run: Report{}, findings: []string{"a:x ABSENT", "a:y ABSENT", "b:z ABSENT"}},
		"excused":                           {run: Report{"a": {"x": bad, "y": {Success: 2}}, "b": {"z": good}}, excuses: []Excuse{{Checks: []string{"a:x"}, Why: "cannot be"}}, open: true, held: 2, findings: []string{"a:x FAILURE"}},
		"excused, and nothing is wrong":     {run: direct, excuses: []Excuse{{Checks: []string{"a:x"}, Why: "was so"}}, held: 3, stale: []string{"a:x"}},
		"one excuse does not cover another": {run: Report{"a": {"x": bad, "y": bad}, "b": {"z": good}}, excuses: []Excuse{{Checks: []string{"a:x"}, Why: "cannot be"}}, held: 1, findings: []string{"a:x FAILURE", "a:y FAILURE"}},
	} {
		v := Judge(tc.run, direct, required, tc.excuses)
		if v.OK() != tc.open || v.Held != tc.held || !slices.Equal(names(v.Findings), tc.findings) || !slices.Equal(v.Stale, tc.stale) {
			t.Errorf("%s: open %v, held %d, findings %v, stale %v", name, v.OK(), v.Held, names(v.Findings), v.Stale)
		}
	}
}
