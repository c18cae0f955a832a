// Package sse reads a text/event-stream (WHATWG HTML, "Server-sent events") for
// one purpose: the data of its events, bounded, whatever the line ends and the
// length of a line.
//
// It is apart from upstream/web because it is a parser of hostile input, with
// tests and a fuzz target of its own.
//
// Map:
//
//	reader.go  Reader: the data of the next event
package sse
