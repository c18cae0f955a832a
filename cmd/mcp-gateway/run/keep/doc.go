// Package keep looks after what is on record while a gateway runs: the index behind
// the journal, the journal's checkpoints, what retention removes, and kept arguments.
//
// Map:
//
//	keep.go  Keeper: Set, Run; Seal
package keep
