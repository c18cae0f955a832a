// Package identity says in one digest what an upstream is: what is run, from which
// files, with which names in its environment, or which host it is and who vouches
// for it; and what it declares. A change of any of it is a change of everything that
// the upstream offers.
//
// Map:
//
//	identity.go  Facts: their object, its digest, and that of what is known beforehand
//	profile.go   Profile: what was observed, and what differs from it
package identity
