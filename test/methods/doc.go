// Package methods tests what hosts may ask for beside tools, and calls that take
// several rounds, through a whole gateway: the incident example, servers of the
// go-sdk, and servers that say exactly what a test wants.
//
// Map:
//
//	main_test.go      the upstream that says anything, and what hosts send
//	incident_test.go  the example's prompt and runbook, for hosts of both eras
//	exact_test.go     what passes byte for byte, and what is refused
//	rounds_test.go    calls in several rounds, for modern hosts
//	open_test.go      questions on a legacy host's open call
//	extensions_test.go extensions of the protocol, allowed and not
//	stream_test.go    progress and log messages
//	sdk_test.go       a server of the go-sdk that asks, prompts, reads and completes
package methods
