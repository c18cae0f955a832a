// Package reconcile finds out what became of calls whose outcome is unknown, by the
// status tool that a reviewer named: an upstream's own reviewed read, asked for what
// a key left behind. What it does not find stays unknown: an upstream that has not
// done it yet may still be doing it.
//
// Map:
//
//	status.go  Desk: one question to one status tool; Confirm: is the external id there
//	desk.go    Settle: by question to known outcome; Run: all that is unknown, with back-off
package reconcile
