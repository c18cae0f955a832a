// Package clerk writes what a person says became of a call into journal and ledger,
// beside the gateways that use the same state directory.
//
// Map:
//
//	clerk.go  Clerk: a writer of its own, for one command
package clerk
