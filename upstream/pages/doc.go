// Package pages fetches the lists of an upstream, page by page and bounded: by bytes,
// by entries, by pages, and by a cursor that was there before.
//
// Map:
//
//	pages.go  Walk: every page of one list, and what is left for the next
package pages
