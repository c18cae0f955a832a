// Package delivery holds what becomes of policies that are delivered to a running
// gateway: good ones take effect on the next call, bad ones never.
//
// Map:
//
//	delivery_test.go  a bundle service in front of a whole gateway
package delivery
