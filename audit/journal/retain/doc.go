// Package retain removes the oldest part of a journal, as retention says: whole
// segments, each proven whole before it goes, and each end signed as removed, so
// that the chain then begins behind a checkpoint and not in the air. What does not
// verify is kept: it is evidence.
//
// Never removed is a segment that is written to, and the last one of each
// replica's newest writer, to which its next boot is chained.
//
// Map:
//
//	retain.go   Prune: Options, Removal; what goes, in which order
//	segment.go  one segment: how old, and whether it is whole
package retain
