package checks

import (
	"maps"
	"slices"
)

// Finding is a check that did not do what it must.
type Finding struct {
	Scenario, Check string
	Status          Status
	Message         string
	Why             string // from expected.yaml; "" = nothing excuses it
}

// Name is how lists write the check.
func (f Finding) Name() string { return f.Scenario + ":" + f.Check }

// Verdict is what the gate says of one column.
type Verdict struct {
	Held     int       // required checks that succeeded
	Findings []Finding // in the order of scenario and check
	Stale    []string  // excused, but nothing is wrong
}

// Unexcused are the findings that fail the gate.
func (v Verdict) Unexcused() []Finding {
	return slices.DeleteFunc(slices.Clone(v.Findings), func(f Finding) bool { return f.Why != "" })
}

// OK says whether the gate opens.
func (v Verdict) OK() bool { return v.Held > 0 && len(v.Unexcused()) == 0 && len(v.Stale) == 0 }

// Judge holds a run against what is required of it. Baseline is the direct run:
// a check must have been judged as often as there, and what does not succeed
// there either is not held against anyone.
func Judge(run, baseline Report, required map[string]*Duty, excuses []Excuse) Verdict {
	var v Verdict
	for _, name := range slices.Sorted(maps.Keys(required)) {
		v.scenario(name, run[name], baseline[name], required[name].Checks)
	}
	why := map[string]string{}
	for _, e := range excuses {
		for _, check := range e.Checks {
			why[check] = e.Why
		}
	}
	for i, f := range v.Findings {
		v.Findings[i].Why = why[f.Name()]
		delete(why, f.Name())
	}
	v.Stale = slices.Sorted(maps.Keys(why))
	return v
}

func (v *Verdict) scenario(name string, run, baseline Scenario, must []string) {
	for _, check := range must {
		t := run[check]
		status := t.Status()
		if status == Success && t.Success < baseline[check].Success {
			status, t.Message = Absent, "judged fewer times than directly"
		}
		if status == Success {
			v.Held++
			continue
		}
		v.Findings = append(v.Findings, Finding{name, check, status, t.Message, ""})
	}
	for _, check := range slices.Sorted(maps.Keys(run)) {
		t := run[check]
		bad := t.Failure > baseline[check].Failure || t.Warning > baseline[check].Warning
		if bad && !slices.Contains(must, check) {
			v.Findings = append(v.Findings, Finding{name, check, t.Status(), t.Message, ""})
		}
	}
}
