// Package review is what reviewers wrote, as exposure.yaml holds it, and what
// follows from it for one definition.
//
// It is a package of its own below registry so that the reviewers' word can be read
// without what upstreams list.
//
// Map:
//
//	record.go    Record, UpstreamRecord, Exposure
//	stand.go     Stand: the one table of exposure states
//	upstream.go  UpstreamRecord.Stand: where an upstream itself stands
//	evidence.go  Fits, Proved: do the schemas bear out what a record says
package review
