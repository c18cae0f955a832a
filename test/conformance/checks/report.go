package checks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Status is the suite's word on one check.
type Status string

// The statuses. Info says that there was nothing to judge.
const (
	Success Status = "SUCCESS"
	Failure Status = "FAILURE"
	Warning Status = "WARNING"
	Skipped Status = "SKIPPED"
	Info    Status = "INFO"
	Absent  Status = "ABSENT" // ours: the check did not run
)

// Tally counts what became of one check id, which a scenario may judge many
// times.
type Tally struct {
	Success, Failure, Warning, Skipped, Info int
	Message                                  string // of the first that did not succeed
}

// Status is the worst of what was counted.
func (t Tally) Status() Status {
	switch {
	case t.Failure > 0:
		return Failure
	case t.Warning > 0:
		return Warning
	case t.Success > 0:
		return Success
	case t.Skipped > 0:
		return Skipped
	case t.Info > 0:
		return Info
	}
	return Absent
}

// Scenario is the tally of each check id.
type Scenario map[string]Tally

// Passed says whether the suite itself would call the scenario passed.
func (s Scenario) Passed() bool {
	for _, t := range s {
		if t.Failure > 0 {
			return false
		}
	}
	return len(s) > 0
}

// Succeeded counts the check ids that succeeded.
func (s Scenario) Succeeded() int {
	n := 0
	for _, t := range s {
		if t.Status() == Success {
			n++
		}
	}
	return n
}

// Report is what one run of the suite said, by scenario.
type Report map[string]Scenario

// folder is how the suite names a scenario's results: its name, then the time.
var folder = regexp.MustCompile(`^(?:server-|client-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$`)

// ReadReport reads the results that a run left in dir.
func ReadReport(dir string) (Report, error) {
	report := Report{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		match := folder.FindStringSubmatch(filepath.ToSlash(rel))
		if match == nil {
			return fmt.Errorf("%s: the suite no longer names its results as it did", path)
		}
		scenario, err := readScenario(path)
		report[match[1]] = scenario
		return err
	})
	return report, err
}

func readScenario(path string) (Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var checks []struct {
		ID, ErrorMessage, Description string
		Status                        Status
	}
	if err := json.Unmarshal(text, &checks); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := Scenario{}
	for _, c := range checks {
		t := s[c.ID]
		switch c.Status {
		case Success:
			t.Success++
		case Failure:
			t.Failure++
		case Warning:
			t.Warning++
		case Skipped:
			t.Skipped++
		default:
			t.Info++
		}
		if c.Status != Success && t.Message == "" {
			t.Message = strings.Join(strings.Fields(cmp.Or(c.ErrorMessage, c.Description)), " ")
		}
		s[c.ID] = t
	}
	return s, nil
}
