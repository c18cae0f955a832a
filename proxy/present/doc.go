// Package present renders what leaves for a host: definitions of every kind,
// tools by the reviewer's facts, and results as of this hop. docs/presentation.md lists every edit.
//
// Map:
//
//	item.go    Items: definitions as hosts see them; prompts, resources, templates
//	tool.go    a tool among them
//	foreign.go  Foreign: what only looks like the gateway's own word
//	result.go  Hop: what the gateway says of itself; a result as it leaves
package present
