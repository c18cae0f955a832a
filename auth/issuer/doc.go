// Package issuer asks an authorization server what the gateway must know of it:
// its metadata, the keys by which it signs, and whether it stands by a token. It
// asks only at URLs of the configuration and of the metadata found there, through
// the client that it is given, and never more often than its bounds allow.
//
// Map:
//
//	metadata.go    Metadata: RFC 8414 and OpenID Connect Discovery
//	keys.go        Keys: an issuer's key set, refreshed and rotated
//	keyset.go      Set: which key verifies what
//	introspect.go  Introspector: RFC 7662
//	client.go      Client: how the gateway authenticates at an authorization server
//	fetch.go       one bounded exchange
package issuer
