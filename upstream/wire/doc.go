// Package wire holds what both ways to an upstream share: the envelope of a
// request, what a server's introduction says, and the closed words for why an
// upstream is down. It does no I/O.
//
// It is apart from upstream so that upstream/stdio and upstream/web may use it
// and upstream may use them.
//
// Map:
//
//	envelope.go  Envelope: requests of either era as bytes, built once
//	peer.go      Peer, Judge: introductions read, and which era they make
//	answer.go    Settle: a message that answers a request, as an Incoming
//	reason.go    the reasons, and errors made of them
package wire
