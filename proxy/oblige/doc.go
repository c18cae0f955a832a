// Package oblige keeps what a decision asks for besides its effect: before a call
// is sent, and before what came back is released. It judges and edits raw JSON;
// all that it does not edit leaves as the bytes that came.
//
// Map:
//
//	before.go  Before: scopes, authentication, idempotency key
//	mask.go    Arguments, Result: documents without what pointers name
package oblige
