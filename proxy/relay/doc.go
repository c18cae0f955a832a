// Package relay passes on what an upstream says in the middle of a call: progress
// and log messages, if the host asked for them, cleaned, on the stream of the very
// request that they belong to.
//
// Map:
//
//	relay.go  Relay: a queue between an upstream that must not wait and a host that may be slow
package relay
