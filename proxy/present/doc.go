// Package present renders what leaves for a host: tools by the reviewer's facts
// and results as of this hop. docs/presentation.md lists every edit.
//
// Map:
//
//	tool.go    Tools: a definition as hosts see it
//	result.go  Hop: what the gateway says of itself; a result as it leaves
package present
