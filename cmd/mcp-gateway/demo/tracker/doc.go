// Package tracker is the demo's second upstream: a server of revision 2026-07-28 over
// HTTP that does its work and, when it is told to, misbehaves in one way the next
// time that it is called.
//
// Map:
//
//	tracker.go  Tracker: its tools, what it did, how it misbehaves
//	answer.go   HTTP and JSON-RPC, as much as that takes
package tracker
