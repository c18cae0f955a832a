// Package credential carries the credential of an upstream to the requests that
// are made of it: what it is, and for whom it is wanted.
//
// Map:
//
//	credential.go  Source; For: whom a context's requests are made for
package credential
