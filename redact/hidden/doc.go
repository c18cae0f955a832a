// Package hidden removes from text what a reader cannot see and a terminal would
// obey. It is apart from redact, which knows where text stands, because it knows
// runes only.
//
// Map:
//
//	hidden.go  Class, Cleaner: which runes are removed, and the one pass that does it
//	escape.go  terminal escape sequences
package hidden
