// Package isolation measures what a healthy upstream pays for a hostile one behind
// the same gateway: the p99 of its calls beside one that hangs, floods, answers with
// 64 MiB, sends bombs, or dies again and again, divided by the p99 of quiet times in
// between. Every healthy call must be answered, at whatever time; the ratios are
// printed and judged by people.
//
// Each run of the tests measures shortly; `make isolation` at length.
//
// Map:
//
//	isolation_test.go  the run: quiet and hostile by turns, the table
//	hostile_test.go    the hostile upstreams
//	redaction_test.go  what cleaning costs a call
package isolation
