// Package tell is what the operator's log says. It names codes, ids and causes;
// arguments, results and credentials never reach it.
//
// Map:
//
//	log.go    Log: calls, lists, upstreams, reloads, and what stopped
//	tee.go    Tee: the same log, sent by OTLP
//	reach.go  Reach: the client of that receiver
//	codes.go  Codes: what an error of many parts is about
//	cause.go  Cause: why an upstream is down, in words; Failed: why it did not list
package tell
