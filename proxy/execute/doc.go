// Package execute takes a call to its upstream and back: only a reviewed item,
// only with a permit, only on record.
//
// Map:
//
//	stages.go  Executor: tools/call, resolve … forward
//	result.go  checkOutput, redact: what came back
package execute
