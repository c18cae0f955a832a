// Package exchange keeps the requests that are under way with one upstream and
// gives what the upstream says meanwhile to the one that it belongs to:
// progress by our token, log messages and questions by the stream on which they
// came, or, where all share one stream, only while there is no doubt. What
// belongs to nobody is dropped or declined, and counted.
//
// It is apart from stdio and web so that both ways follow the same rules. It
// does no I/O.
//
// Map:
//
//	exchange.go  Exchange: one request; what it may still be told
//	hub.go       Hub: the exchanges of one connection; Counters
//	ask.go       what an upstream asks, and how it is declined
//	line.go      Line: a connection on which all answers share one stream
//	level.go     severities; Volume: the level of a legacy session
//	salvage.go   whose answer an unreadable line was meant to be
package exchange
