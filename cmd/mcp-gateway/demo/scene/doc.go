// Package scene is what the demo's cases are played on: a whole gateway with its
// files, its callers and its clock, hosts of two eras, and what is on record.
//
// Map:
//
//	stage.go    Stage: the gateway, its files, its callers and its clock
//	child.go    a second gateway, to be killed and started anew
//	names.go    the hidden commands
//	host.go     Request, Reply: hosts of revisions 2026-07-28 and 2025-11-25
//	verify.go   receipts, verified
//	journal.go  the events of a case
package scene
