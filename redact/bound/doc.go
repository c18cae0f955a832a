// Package bound keeps what an upstream sends within sizes: what is more is left out
// where a reader sees that it is, and never half of a value that is read as a whole.
//
// Map:
//
//	result.go   Limits: of a result, and of each of its items
//	shorten.go  one item: its text cut, or a marker in its place
//	error.go    an upstream's own errors
package bound
