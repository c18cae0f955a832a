// Package sight is what lists and calls share: what is served now, and which of
// it a principal may see.
//
// Map:
//
//	sight.go  Sight: the catalog of the newest snapshot, and a principal's view of it
package sight
