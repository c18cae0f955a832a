// Package beside holds a journal against what stands in the same directory: the index that
// queries are answered from, and the keys that say that a gateway ran here.
//
// Map:
//
//	beside.go  State: Verify, Tell
package beside
