// Package exposure reads exposure.yaml, the reviewers' records, and changes one
// record of it at a time.
//
// It is a package of its own below config so that reading what operators write
// and writing what reviewers said stay apart.
//
// Map:
//
//	load.go      Load: file to registry records
//	describe.go  the description of exposure.yaml: its sections, and an upstream's own review
//	record.go    the description of one record, and the rules within it
//	edit.go      Approve, Quarantine: change one record
//	kept.go      Kept: what of a record an edit leaves in force
//	replace.go   atomic replacement of a file under a lock
package exposure
