// Package author is the command line of those who write policy: check, test,
// format, evaluate and pack one, ask who may do what, why something was decided,
// and what another policy would have decided.
//
// Map:
//
//	command.go  Command: the tree; where the policy lies that a command is about
//	check.go    check
//	tests/      test, coverage, fmt
//	eval.go     eval, build
//	reach.go    who, what: who may do what
//	events.go   decisions on record, and the inputs that were kept
//	explain.go  explain: which rules decided
//	details.go  kept arguments, for replay
//	replay.go   replay: what another policy would decide
//	shelf/      show, schema: what there is to look up
//	tool.go     tools explain: why a tool is absent
package author
