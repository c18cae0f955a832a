// Package collect brings the journals of several gateways into one, so that one
// question can be asked over all of them. What it takes in is copied first and
// the copy verified; a journal that is not whole, or that tells another history
// than it told before, is refused as a whole.
//
// Map:
//
//	collect.go  Take: one journal into the store
package collect
