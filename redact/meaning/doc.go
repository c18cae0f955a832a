// Package meaning tells what text of an upstream is meant to do to its reader:
// directives in what should be data, and addresses that would be fetched. What it
// finds is said, not believed: a pattern is no proof, and text is delivered as data
// either way.
//
// Map:
//
//	meaning.go  Sign; from an anchor to a sign
//	table.go    what is looked for
//	address.go  what readers of Markdown, HTML and CSS fetch or follow
//	fold.go     Find: also in look-alikes, and behind one step of decoding
//	link.go     Leads, Shows: where links and icons may lead; End: where a block ends
//	defang.go   Defang: addresses that nobody follows by accident
package meaning
