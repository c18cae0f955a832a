// Package handles keeps what upstreams hand out to the principal whom it was given
// to. A reviewer names the places: in results, where handles are given, and in
// arguments, where nothing but a handle may stand. Where an upstream gives any, each
// text among the arguments of its tools is looked up, so that a handle can't be used
// by somebody else under another name.
//
// Map:
//
//	desk.go    Desk: Take judges arguments; Give binds what a result hands out
//	values.go  the texts of a JSON value, and those at reviewed places
package handles
