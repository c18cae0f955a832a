// Package flap tells an upstream whose replicas list different definitions from one
// that changed a definition.
//
// Map:
//
//	flap.go  Memory: which definitions were listed lately, and which came back
package flap
