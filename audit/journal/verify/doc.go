// Package verify proves offline that a journal is whole: that each writer's
// chain has no gap, fork or changed event, that boots follow one another, and
// that the checkpoints, in the journal and in a second place, agree with it.
//
// Map:
//
//	verify.go  Journal: Report, Problem; the links between boots
//	walk.go    one writer, line by line
//	seals.go   the journal held against its checkpoints
package verify
