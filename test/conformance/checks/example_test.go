package checks_test

import (
	"fmt"

	"mcp-gateway/test/conformance/checks"
)

// What succeeds directly must succeed in every run, and as often.
func ExampleJudge() {
	required := map[string]*checks.Duty{"tools-list": {Checks: []string{"order", "names"}}}
	direct := checks.Report{"tools-list": {"order": {Success: 2}, "names": {Success: 1}}}
	run := checks.Report{"tools-list": {"order": {Success: 1}, "names": {Success: 1}}}

	verdict := checks.Judge(run, direct, required, nil)
	fmt.Println(verdict.OK(), verdict.Held)
	for _, f := range verdict.Unexcused() {
		fmt.Println(f.Name(), f.Status, f.Message)
	}
	// Output:
	// false 1
	// tools-list:order ABSENT judged fewer times than directly
}
