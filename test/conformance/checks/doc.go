// Package checks holds what the conformance suite said against what it must say.
//
// It is a package of its own so that the gate knows nothing of how the suite is
// run, and is tested without it.
//
// Map:
//
//	report.go  Report, Tally: what became of every check
//	lists.go   required.yaml, expected.yaml
//	judge.go   the gate
package checks
