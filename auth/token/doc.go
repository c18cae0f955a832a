// Package token reads access tokens that are JWTs (RFC 7519, RFC 9068): strictly,
// and before anything of them is believed. It knows no keys and no clock: who
// signed a token, and whether it holds now, is judged by package auth.
//
// Map:
//
//	token.go   Parse: header and claims of a compact JWS, within limits
//	claims.go  Claims: times, audiences, and what a principal is made of
//	mapping.go Mapping: which claims say who it is and what it holds
package token
