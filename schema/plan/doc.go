// Package plan is a compiled JSON Schema as the gateway walks it: over raw
// bytes, without decoding, and with a fuel gauge.
//
// It is built from the compiled schema of the validator library, node for node,
// so that what is judged here is what the library would run. It exists beside
// the library for three things that the library cannot do: to refuse graphs
// that never end or explode, to say yes to most values without an allocation,
// and to name the members that no schema declares. It never gives the last word
// against a value: whatever it cannot prove valid goes to the library.
//
// Map:
//
//	node.go        Node and Build: the graph, from the library's schemas
//	audit.go       Audit: cycles that consume nothing, expansion
//	accept.go      Accept: yes, no or maybe over raw bytes
//	work.go        Work: how many steps the library would take for a value
//	undeclared.go  Undeclared: members that nothing declares
//	scalar/        what a subschema says of a value by itself
//	scan/          the byte scanner below all of these
package plan
