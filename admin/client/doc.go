// Package client asks a running gateway, for commands.
//
// Map:
//
//	client.go  Client: the API over the socket of a state directory
package client
