// Package pace says how long one call may take, and whether it may be sent to its
// upstream once more.
//
// Map:
//
//	pace.go  Timeout, Hurry: whose time counts; Safe: what may run twice
package pace
