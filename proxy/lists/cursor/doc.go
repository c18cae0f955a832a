// Package cursor is where a page of a list begins, sealed for the principal and
// the endpoint that it was given to.
//
// Map:
//
//	cursor.go  Place; Seal and Open
package cursor
