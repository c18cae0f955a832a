// Package hosts tests the gateway as hosts of every revision meet it: over HTTP
// with sessions, over stdio in both eras, by clients that others wrote and by raw
// messages. Nothing of the gateway is replaced.
//
// Map:
//
//	main_test.go    the processes of these tests, and the upstreams
//	legacy_test.go  raw requests of earlier revisions
//	sessions_test.go how long sessions live, and how many may
//	listen_test.go  who is told what changes, in the modern era
//	claims_test.go  what hosts say of themselves, and subscriptions
//	sdk_test.go     go-sdk clients over HTTP and stdio
//	bench_test.go    a legacy call, against a proxy of the SDK
//	stdio_test.go   raw lines over stdio
package hosts
