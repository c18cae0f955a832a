// Package auth turns the credential that a host sent into a Principal, and
// writes the challenge for a host that sent none, a wrong one, or one that holds
// too little. It is an OAuth resource server (2026-07-28, Authorization): it
// accepts tokens that were issued for its own endpoints, and issues none.
//
// Map:
//
//	authenticator.go   Options, Authenticator, Identify: from a request to its Principal
//	request.go         Request: what of a request may say who sent it
//	key.go             Key, NewKey: API keys, of which only the SHA-256 is kept
//	issuers.go         Issuer: whose tokens are accepted, and on which terms
//	tokens.go          access tokens: judged once, then remembered by digest
//	challenge.go       Challenge: the WWW-Authenticate value of a refusal
//	metadata.go        Metadata: what hosts learn of an endpoint (RFC 9728)
//	handle/            whose a handle is
//	token/             reads JWTs and their claims
//	issuer/            asks authorization servers: metadata, keys, introspection
package auth
