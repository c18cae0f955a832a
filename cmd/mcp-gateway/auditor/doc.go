// Package auditor holds the commands that ask what happened: over the journal of
// a configuration, or over a store that collects those of several gateways.
//
// Map:
//
//	command.go  Command: the tree; what a command opens
//	query.go    audit query: rows, or how many of each
//	verify.go   audit verify, audit key
//	contains.go audit contains: is this value in that event
//	records/    what the commands open and ask
//	bar.go      bar: how far something long has come, on a terminal
package auditor
