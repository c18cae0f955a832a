// Package e2e holds the gateway to its word from outside: real hosts over HTTP,
// real upstreams over HTTP and stdio, and what is on record afterwards.
//
// Map:
//
//	main_test.go        the roles that this test binary plays as an upstream
//	wire_test.go        the transport: each rule of revision 2026-07-28 by its exact codes
//	param_test.go       headers that mirror arguments, both ways
//	result_test.go      what lists, discovery and results say of themselves
//	page_test.go        pages and cursors
//	input_test.go       what hosts may send wrongly: its code, its one event
//	child_test.go       processes that exit, stay silent, flood or print banners
//	hostile_test.go     upstreams over HTTP that break every rule
//	definition_test.go  definitions that can't be served cost the one tool
//	drift_test.go       definitions and files that change while the gateway runs
//	cancel_test.go      hosts that go away
//	contain_test.go     panics and throttling end one call only
//	principals_test.go  what one caller can know of another's tools
//	tls_test.go         hosts over TLS, and its renewal
//	sdk_test.go         an upstream of the SDK
package e2e
