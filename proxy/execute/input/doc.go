// Package input holds the arguments of a call against its pinned definition.
//
// Map:
//
//	input.go  Tool, Prompt: by the schema, and by the declared arguments
//	bound.go  what a reviewer allows beyond the schema
package input
