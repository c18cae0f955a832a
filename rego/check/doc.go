// Package check makes a folder of Rego files a policy that can be asked, or says
// everything that is wrong with it. It is what happens once, when a policy is
// loaded; package rego is what happens on each call.
//
// Map:
//
//	load.go          Load: reading the folder; its revision
//	compile.go       parsing, type checks against each phase's schema, entry points
//	capabilities.go  the built-ins that a policy may use; InputSchema
//	problems.go      OPA's errors as positioned gateway.Problems
//	simple.rego      how allow, deny and ask make a decision where none is written
package check
