// Gosdk makes the calls of calls.json through a running gateway by the client
// of the Go SDK, in revision 2026-07-28, and says of each whether it came out
// as it must.
//
// Map:
//
//	main.go   the command: waits for the tools, lists, calls, counts
//	pair.go   one list and two calls, over either transport and in either era
//	table.go  the table of calls, and what must come of each
package main
