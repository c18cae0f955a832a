// Package absent stands in for upstreams whose configuration names a secret that is not
// there: nothing is started or sent without it, and the others are served.
//
// Map:
//
//	absent.go  Upstream: down, and why; Problems: what is missing, with its place
package absent
