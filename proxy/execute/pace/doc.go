// Package pace says how often a caller may call, how long its host waits, and whether
// a call may be sent to its upstream once more.
//
// Map:
//
//	rates.go  Rates, Results: how often, and how much: counted before a call is put on record
//	pace.go   Hurry: how long the host waits; Safe: what may run twice
package pace
