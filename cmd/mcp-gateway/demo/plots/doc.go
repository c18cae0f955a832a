// Package plots are the demo's cases: what a tool call can meet, each with what must
// be observed of it.
//
// Map:
//
//	plot.go        Plot: one case; All: every case in its order
//	contract.go    what a call and its answer must look like
//	drift.go       a definition changes after its review
//	loop.go        several calls of one run
//	safety.go      consent, scopes, failures
//	receipts.go    receipts that nobody gave out
//	primitives.go  tools, resources, prompts, and who sees them
//	eras.go        revisions of the protocol
//	people.go      approvals: denied, over, for other arguments
//	effects.go     keys, lost answers, a restart, what is reconciled
package plots
