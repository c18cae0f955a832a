// Package lifecycle is what hosts of revisions before 2026-07-28 agree on with
// the gateway before they ask anything, and what hosts of each era are offered.
//
// Map:
//
//	session.go       Session: what was agreed; Negotiate
//	wanted.go        Wanted: resources that a host wants to be told about
//	capabilities.go  Capabilities: what hosts are offered
package lifecycle
