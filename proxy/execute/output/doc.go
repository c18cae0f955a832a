// Package output holds what came back against what was pinned: its shape, the output
// schema, whose contents they are.
//
// Map:
//
//	output.go  Tool, Messages, Contents; Structured
package output
