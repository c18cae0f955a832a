// Package contract is what a policy may count on: the input of each phase, as a
// published draft-07 schema and as a shape that checks of a policy walk along.
//
// Map:
//
//	input.schema.json  the input of all phases, version 1
//	schema.go          Phase, Schema, Document: the schema of one phase, and of all
//	checker.go         ForChecker: the same as OPA's type checker makes most of it
//	elsewhere.go       Elsewhere: where else a name stands
//	shape.go           Shape: what may stand at a place of the input
//	words.go           Words, Mode, IsCode: the reasons that a policy may give
package contract
