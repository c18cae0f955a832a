// Package auditor holds the commands that ask what happened: over the journal of
// a configuration, or over a store that collects those of several gateways.
//
// Map:
//
//	command.go  Command: the tree; what a command opens; audit rebuild
//	query.go    audit query, and the flags that narrow a question
//	show.go     audit show: the whole story of one action
//	tail.go     audit tail: the newest events, and those that come
//	sql.go      audit sql
//	export.go   audit export: OCSF, CloudEvents, OTLP logs
//	verify.go   audit verify, audit key
//	contains.go audit contains: is this value in that event
//	codes/      the reasons that the configured policy may give
//	beside/     what else stands where a journal is verified
//	answer/     what a query answers: rows, or how many of each
//	gather/     audit collect: several gateways in one store
//	reports/    audit report, audit review
//	look/       audit detail
//	pen/        events of what a person did
//	records/    what the commands open and ask
package auditor
