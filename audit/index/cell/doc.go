// Package cell says what of an event stands in a row of the index.
//
// Map:
//
//	cell.go  Settles, Noted, Join
package cell
