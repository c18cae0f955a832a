// Package reach says in the configuration which networks the gateway's own requests
// may lead to, beside public ones.
//
// Map:
//
//	reach.go  Networks
package reach
