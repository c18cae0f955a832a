// Package isolation measures what a healthy upstream pays for a hostile one behind
// the same gateway: the p99 of its calls beside one that hangs, floods, answers with
// 64 MiB, sends bombs, or dies again and again, divided by the p99 beside one that
// behaves, by turns. The same hosts call either as often, and the hostile server gives
// its turn on the processors to everybody else, so that what is left of the difference
// is what its answers do to the gateway. Every healthy call must be answered, at
// whatever time; the ratios are printed and judged by people.
//
// Each run of the tests measures shortly; `make isolation` at length.
//
// Map:
//
//	isolation_test.go  the run: quiet and hostile by turns, the table
//	hostile_test.go    the hostile upstreams
//	redaction_test.go  what cleaning costs a call
package isolation
