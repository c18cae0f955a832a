// Package classic speaks HTTP with SSE as revision 2024-11-05 has it: one event
// stream on which everything comes, and an endpoint that it names, to which
// everything is posted. When the stream ends the connection is over.
//
// Map:
//
//	conn.go  Conn, Options: from the stream's first event to its end
package classic
