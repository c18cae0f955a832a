// Package workbench is what authors of policies work with: OPA's own test runner,
// coverage, formatter and tracer, over a policy as the gateway compiles it.
//
// Map:
//
//	test.go    Test: the tests beside a policy, and what they cover
//	vet.go     Vet: tests that show nothing; Strange: inputs that none is like
//	format.go  Format: how a file would be written
//	replay.go  Replay: what would be decided of a call whose arguments are gone
//	eval.go    Eval: one question, its answer, and the trace of how it came about
package workbench
