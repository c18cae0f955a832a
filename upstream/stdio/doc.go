// Package stdio speaks to one upstream that is a child process, of either era:
// it meets it, numbers the requests, and gives each answer to the request that
// it belongs to.
//
// Map:
//
//	link.go       Link, Options: the upstream over all its processes
//	session.go    one process: requests out, messages in, matched by our own ids
//	handshake.go  server/discover, else initialize, on the same process
//	salvage.go    whose answer an unreadable line was meant to be
package stdio
