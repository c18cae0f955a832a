// Package retry says when an exchange with an upstream is made again: of which
// class its failure is, how long to wait, and how often at most. Whether the call
// may run twice is not its affair: see proxy/execute.
//
// Map:
//
//	retry.go  Plan: tries and pauses; Transient: which failures pass
package retry
