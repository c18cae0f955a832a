// Package reads says which parts of the input a compiled policy looks at. What an
// answer can depend on is made of it: what is asked for at all, and by what a kept
// answer is known again.
//
// Map:
//
//	reads.go  Reads: paths of the input
package reads
