// Package server is the listener of hosts: its bounds, and its certificate.
//
// Map:
//
//	server.go  Server: serve until the end, then let calls under way finish
//	secure.go  connections over TLS, and what is told to who speaks without
package server
