// Package written holds to what can be what stands written down in a policy: the
// decisions and results that it gives, and what its tests put in the place of the
// input. An answer of an effect that there is none of denies, each time and without
// a word; a test whose input has a field that no input has shows nothing.
//
// What is put together only when policy is asked is left to package answer.
//
// Map:
//
//	answer.go  Answers: decisions, results, their reasons and obligations
//	input.go   Inputs: what stands in a test for the input; Document: an input in a file
package written
