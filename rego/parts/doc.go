// Package parts says which parts of a principal a policy looks at, and digests those:
// who differ in nothing else are the same to it.
//
// Map:
//
//	parts.go  Parts: Of what a policy reads, All; Digest
package parts
