// Package form describes what a YAML file may hold, and by that one description
// reads the file strictly, reports every fault in it with its place, and writes
// its JSON Schema.
//
// A description is a tree of Values bound to Go variables, as flags are bound
// with flag.StringVar.
//
// It is a package of its own below config so that the rules of the two files
// and the mechanism that reads any file stay apart.
//
// The YAML is that of 1.2 without anchors, aliases, merge keys, tags and complex
// keys: what a reviewer reads is what is meant, and no file grows when it is
// read. A null where a list or a map is wanted is an empty one.
//
// Map:
//
//	document.go  Document, Open, Parse: bytes to a syntax tree within bounds
//	place.go     Place: a node with its position; where problems are reported
//	excerpt.go   the source line with its caret; secrets masked
//	value.go     Value, Object, List, Map: composite values
//	scalar.go    Text, Matching, Word, Bool, YesNo, Int, Size, Duration, Age, Parsed: scalar values
//	nearest.go   "did you mean": the nearest known word
//	edit/        changes keys of a file and leaves every other line as it was
package form
