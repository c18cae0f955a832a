// Package gather holds the command that brings the journals of several gateways into one
// store, and says whether a person can be followed over all of them.
//
// Map:
//
//	collect.go  Command: audit collect
//	names.go    by which keys collected journals name principals
package gather
