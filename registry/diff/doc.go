// Package diff says how two definitions of a tool differ, in words that a
// reviewer can weigh.
//
// Map:
//
//	diff.go   Definitions: the structural walk
//	class.go  Class, and which part of a definition is of which
//	direction.go  Direction: does a schema take more or less; units in texts
//	words.go  Words: a text that changed, word by word
//	text.go   Visible, and the window that is shown of long texts
package diff
