// Package shape knows what the strings in an event may look like. Each function
// says whether a string has one shape; what has none of them is not written.
//
// Map:
//
//	shape.go  Word, Ident, Version, Label, Digest, Keyed, Revision, Fault … : one function a shape
package shape
