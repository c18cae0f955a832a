// Package wire holds what all ways to an upstream share: the envelope of a
// request, what a server's introduction says, and the closed words for why an
// upstream is down. It does no I/O.
//
// It is apart from upstream so that the rooms below upstream may use it.
//
// Map:
//
//	envelope.go  Envelope: requests of either era as bytes, built once
//	requests.go  the handshake and the gateway's own requests; Parse
//	peer.go      Peer, Judge: introductions read, and which era they make
//	terms.go     Terms: which peers are acceptable
//	answer.go    Settle: a message that answers a request, as an Incoming
//	reason.go    the reasons, and errors made of them
package wire
