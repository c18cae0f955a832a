// Package edit finds the text of an element of content and puts other values into
// JSON objects, all else of them being kept byte for byte.
//
// Map:
//
//	edit.go  Text, With
package edit
