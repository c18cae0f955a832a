// Package place knows where in the protocol's documents a string can stand, as far
// as that decides what is done to it.
//
// Map:
//
//	place.go    Place; from a member or an element to its place
//	meaning.go  names by which something is done
package place
