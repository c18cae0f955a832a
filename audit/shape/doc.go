// Package shape knows what the strings in an event may look like. Each function
// says whether a string has one shape; what has none of them is not written.
//
// Map:
//
//	vocabulary.go  Method, Era, Code, Effect …: words of closed vocabularies
//	value.go       CutValue, Unquote: values of the JSON that events are written in
//	shape.go       Word, Ident, Version, Label, Digest, Keyed, Revision, Fault … : one function a shape
package shape
