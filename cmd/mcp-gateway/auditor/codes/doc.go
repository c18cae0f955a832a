// Package codes knows which reasons the configured policy may give, whether or not an event
// has one of them yet.
//
// Map:
//
//	codes.go  Of
package codes
