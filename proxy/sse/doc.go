// Package sse answers one HTTP request by one JSON body or, once anything else
// had to be said first, by a stream of events.
//
// Map:
//
//	writer.go  Writer: events, keep-alive, the answer
package sse
