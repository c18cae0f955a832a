// Package egress holds the HTTP client and the dial guard that every outgoing
// connection of the gateway uses, so that no configured, redirected or resolved
// name can turn it against the network that it stands in.
//
// Map:
//
//	guard.go    Guard: which addresses may be dialled, judged after resolution
//	client.go   Options, NewClient, ReadBody, ReadSized
//	body.go     Bodies
//	why.go      Why: why a connection failed
//
// Below it stands egress/plain, the way of short exchanges without TLS.
package egress
