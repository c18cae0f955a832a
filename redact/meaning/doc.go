// Package meaning tells what text of an upstream is meant to do to its reader:
// directives in what should be data, and addresses that would be fetched. What it
// finds is said, not believed: a pattern is no proof, and text is delivered as data
// either way.
//
// Map:
//
//	meaning.go  Signs: what is looked for; Find
//	link.go     Leads: where a link may lead; End: where its block ends
//	defang.go   Defang: addresses that nobody follows by accident
package meaning
