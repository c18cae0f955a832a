// Package promises holds the nine promises of the record, each by a test of its
// number, against whole gateways: what is on record before something is sent, what
// is before it is released, what never is, and what an outsider can prove.
//
// Map:
//
//	main_test.go      a gateway before a peer; files that break
//	promises_test.go  TestPromise1 to TestPromise9
//	leaks_test.go     fifty canaries, and where they must not be
//	detail_test.go    kept arguments: for whom, how long, on record
package promises
