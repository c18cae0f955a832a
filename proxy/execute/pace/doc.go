// Package pace says how often a caller may call, how long one call may take, and
// whether it may be sent to its upstream once more.
//
// Map:
//
//	rates.go  Rates, Results: how often, and how much: counted before a call is put on record
//	pace.go   Timeout, Hurry: whose time counts; Safe: what may run twice
package pace
