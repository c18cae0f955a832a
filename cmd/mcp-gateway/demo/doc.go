// Package demo walks a whole gateway as its hosts would: it starts one with the
// incident example and a server that misbehaves on demand behind it, plays the
// boundary cases of a tool call, and shows for each what was observed and what is on
// record. Clock and inputs are fixed and ids are numbered as they appear, so that
// every run reports the same bytes.
//
// Map:
//
//	command.go     the command, and the processes that it runs
//	stage.go       the gateway, its files, its callers and its clock
//	child.go       a second gateway, to be killed
//	host.go        hosts of revisions 2026-07-28 and 2025-11-25
//	plot.go        Plot: one case; all of them in their order
//	drift.go       a definition changes after its review
//	receipts.go    receipts verified, and forged
//	contract.go    what a call and its answer must look like
//	loop.go        several calls of one run
//	safety.go      consent, scopes, receipts, failures
//	primitives.go  tools, resources, prompts, and who sees them
//	eras.go        revisions of the protocol
//	people.go      approvals: denied, over, for other arguments
//	effects.go     keys, lost answers, a restart, what is reconciled
//	trace.go       what is on record of a case, without names of its own
//	report.go      Report: JSON, Markdown and the trace
//	tell.go        the story as it is printed
//	tracker/       the server that misbehaves
package demo
