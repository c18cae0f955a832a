// Package grant gets the tokens by which the gateway appears at upstreams: its
// own, and those that an authorization server gives in exchange for the token of
// who is calling. It asks only at the endpoint of its configuration.
//
// Map:
//
//	source.go    Source: tokens at hand, one question at a time, until they expire
//	request.go   what is asked of the token endpoint, and what is taken from its answer
//	word.go      Word: why there was no token, in one word for operators
package grant
