// Package auth turns the credential that a host sent into a Principal, and
// writes the challenge for a host that sent none or a wrong one.
//
// Map:
//
//	authenticator.go   Options, Authenticator, Identify: from headers to Principal
//	key.go             Key, NewKey: API keys, of which only the SHA-256 is kept
//	challenge.go       Challenge: the WWW-Authenticate value of a 401
package auth
