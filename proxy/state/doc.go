// Package state carries a call over the rounds in which an upstream asks before
// it goes on (2026-07-28, Multi Round-Trip Requests). The gateway remembers
// nothing between rounds: what it must know travels through the host, sealed, and
// is good for that very call of that very caller alone.
//
// Map:
//
//	state.go  Binding, State; Seal and Open
package state
