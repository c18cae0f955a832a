package workbench

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego/check"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
)

// Outcome is what became of one test.
type Outcome struct {
	Name    string // data.mcp.gateway_test.test_decision
	Case    string // of a test with cases; "" of one without
	Pos     gateway.Pos
	Status  string // pass, fail, error or skip
	Detail  string // of fail and error: where or why
	Elapsed time.Duration
}

// Passed says whether it did, or was skipped by its author (todo_test_…).
func (o *Outcome) Passed() bool { return o.Status == "pass" || o.Status == "skip" }

// Uncovered is a line of the policy that no test reached.
type Uncovered struct {
	Pos  gateway.Pos
	Text string
}

// Report is what a run of tests showed.
type Report struct {
	Outcomes  []Outcome
	Coverage  float64 // per cent of the lines of the policy itself
	Uncovered []Uncovered
}

// Options say which tests run.
type Options struct {
	Run      string // a regular expression over names; "" = all
	Coverage bool
}

// Test runs the tests of a folder. The error is gateway.Problems where the policy
// or a test does not compile, or a test shows nothing.
func Test(ctx context.Context, folder fs.FS, shown string, o Options) (*Report, error) {
	s, err := check.LoadSuite(folder, shown)
	if err != nil {
		return nil, err
	}
	if err := Vet(s); err != nil {
		return nil, err
	}
	store := inmem.NewFromObject(s.Data)
	txn, err := store.NewTransaction(ctx, storage.TransactionParams{Write: true})
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	runner := tester.NewRunner().SetCompiler(ast.NewCompiler().WithCapabilities(check.Capabilities())).
		SetStore(store).SetModules(s.Modules).RaiseBuiltinErrors(true).Filter(o.Run)
	var covered *cover.Cover
	if o.Coverage {
		covered = cover.New()
		runner = runner.SetCoverageQueryTracer(covered)
	}
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		return nil, check.Problems(s.Texts, err)
	}
	r := &Report{}
	for result := range results {
		r.Outcomes = append(r.Outcomes, outcomes(result)...)
	}
	if covered != nil {
		r.cover(covered.Report(s.Own), s)
	}
	return r, nil
}

func outcomes(r *tester.Result) []Outcome {
	o := Outcome{Name: r.Package + "." + r.Name, Status: "pass", Elapsed: r.Duration}
	if r.Location != nil {
		o.Pos = gateway.Pos{File: r.Location.File, Line: r.Location.Row, Col: r.Location.Col}
	}
	switch {
	case r.Error != nil:
		o.Status, o.Detail = "error", r.Error.Error()
	case r.Skip:
		o.Status = "skip"
	case r.Fail:
		o.Status = "fail"
		if r.FailedAt != nil && r.FailedAt.Location != nil {
			o.Detail = fmt.Sprintf("line %d: %s", r.FailedAt.Location.Row, strings.TrimSpace(string(r.FailedAt.Location.Text)))
		}
	}
	if len(r.SubResults) == 0 {
		return []Outcome{o}
	}
	var out []Outcome
	for _, name := range slices.Sorted(maps.Keys(r.SubResults)) {
		one := o
		one.Case, one.Status, one.Detail = name, "pass", ""
		if r.SubResults[name].Fail {
			one.Status, one.Detail = "fail", o.Detail
		}
		out = append(out, one)
	}
	return out
}

func (r *Report) cover(report cover.Report, s *check.Suite) {
	covered, missed := 0, 0
	for _, file := range slices.Sorted(maps.Keys(s.Own)) {
		f := report.Files[file]
		if f == nil {
			continue
		}
		covered += f.CoveredLines
		missed += f.NotCoveredLines
		lines := strings.Split(s.Texts[file], "\n")
		for _, span := range f.NotCovered {
			for row := span.Start.Row; row <= span.End.Row && row <= len(lines); row++ {
				r.miss(Uncovered{gateway.Pos{File: file, Line: row}, strings.TrimSpace(lines[row-1])})
			}
		}
	}
	if covered+missed > 0 {
		r.Coverage = 100 * float64(covered) / float64(covered+missed)
	}
}

// miss notes a line once: OPA tells of the head and the body of a rule apart.
func (r *Report) miss(u Uncovered) {
	if n := len(r.Uncovered); n == 0 || r.Uncovered[n-1] != u {
		r.Uncovered = append(r.Uncovered, u)
	}
}
