// Package join finds secrets that stand partly in one text and partly in the next: apart
// none of them is one, and a reader puts them together.
//
// Map:
//
//	blocks.go  Blocks: over neighbouring blocks of content
//	data.go    Data: over neighbouring strings of data
package join
