// Package served lets the gateways that run on a state directory look at their
// upstreams, so that what a command sees is what they serve.
//
// Map:
//
//	served.go  Refresh: which upstreams they asked, and which not; By: how one does it
package served
