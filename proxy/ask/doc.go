// Package ask holds what the gateway asked of a legacy host and was not answered
// yet.
//
// Map:
//
//	asks.go  Asks: requests to one host that wait for its reply
package ask
