// Package compare holds an index against the journal that it was built from: answers come
// from the index, and what was taken out of it would read as what never happened.
//
// Map:
//
//	held.go     Read: which events an index holds, and how far it has read
//	compare.go  Against: what it should hold and does not, or holds and should not
package compare
