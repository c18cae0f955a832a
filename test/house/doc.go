// Package house holds the rules of this repository as tests: which folder may
// import which, how large things may grow, and what every package owes its
// reader. An exception stands in exceptions.go, with its reason.
//
// Map:
//
//	source.go      the tree, parsed once
//	exceptions.go  what is allowed to differ, and why
package house
