// Package pins changes definitions, one member at a time, and holds that nothing
// that differs from what was reviewed is served; and that order and white space are
// no change.
//
// Map:
//
//	pins_test.go    the two proofs, and their figures
//	mutate_test.go  every single-member change of a JSON value, and its reorderings
package pins
