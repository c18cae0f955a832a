// Package hostfile holds the commands about hosts' own files of servers: what is taken
// from one, and what goes into one.
//
// Map:
//
//	import.go   Import: upstreams import
//	snippet.go  Snippet: hosts snippet
package hostfile
