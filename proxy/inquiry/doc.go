// Package inquiry judges what upstreams ask of hosts before they go on: which
// questions there are, whether the host declared that it answers them, and whether
// they may be asked at all.
//
// Map:
//
//	inquiry.go     Question, Inquiry: reading and judging them
//	shown.go       what of them a person must be shown
//	capability.go  what a host must have declared, and what an upstream is told of it
package inquiry
