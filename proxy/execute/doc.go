// Package execute takes a call to its upstream and back: only a reviewed item,
// only with a permit, only on record. Tools, prompts, resources and completions go
// the same way; what differs between them stands in methods.go.
//
// Map:
//
//	stages.go   Executor: the corridor of all methods; visible, recheck, decide, admit
//	methods.go  tools/call, prompts/get, resources/read: what they mean by their params
//	complete.go completion/complete: likewise
//	input/      checkInput: arguments against the pinned definition
//	output/     checkOutput: what came back, likewise
//	pace/       how often, how much and how long; what may be sent again
//	forward.go  forward: the exchange, and what became of it when there is no answer
//	rounds.go   calls in several rounds: what the upstream asks, and what the host answers
//	result.go   checkOutput, redact: what came back
package execute
