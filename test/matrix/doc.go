// Package matrix observes what a host of each revision, over each transport, can do
// with an upstream of each kind through a real gateway, and compares it cell by
// cell with what is expected. docs/matrix.md is what it observed.
//
// Both ends are the Go SDK's, which knows nothing of the gateway.
//
// Map:
//
//	main_test.go      the processes of these tests
//	upstream_test.go  one server, and the five ways in which it is an upstream
//	host_test.go      hosts, and what each of them tries
//	expect_test.go    what is expected, and why some of it is a refusal
//	matrix_test.go    the table: observed, compared, written
package matrix
