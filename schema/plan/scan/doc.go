// Package scan is the byte scanner below the plan: the members of JSON that was checked
// before. On other input it stays within the slice and the answer means nothing.
//
// Map:
//
//	scan.go     the walkers
package scan
