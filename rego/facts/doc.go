// Package facts turns what few reviews say into terms of policy's input.
//
// Map:
//
//	facts.go  Reviewed: tenants, contract, deprecation
package facts
