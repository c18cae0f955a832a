// Package stdio speaks to one upstream that is a child process, of either era:
// it meets it and carries requests there and answers back; which belongs to
// which is the affair of package exchange.
//
// Map:
//
//	link.go       Link, Options: the upstream over all its processes
//	session.go    one process: a request out, its answer or why there is none
//	handshake.go  server/discover, else initialize, on the same process
package stdio
