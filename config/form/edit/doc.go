// Package edit changes keys of a YAML file in its text, so that order, comments
// and layout of everything else stay byte for byte.
//
// Map:
//
//	edit.go   Set, Pair: replace, add and remove keys of one mapping
//	quote.go  Quote, QuoteList: text that reads back as itself
package edit
