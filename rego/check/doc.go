// Package check makes a folder of Rego files a policy that can be asked, or says
// everything that is wrong with it. It is what happens once, when a policy is
// loaded; package rego is what happens on each call.
//
// Map:
//
//	load.go          Load: reading the folder; its revision
//	source.go        policies that lie in no folder; a policy with its tests
//	parse.go         parsing; the library; which rules may look at unverified facts
//	compile.go       Policy: type checks against each phase's schema, prepared queries
//	phase.go         entry points, and what each reaches
//	simple.go        how allow, deny, ask and obligations make a decision where none is written
//	words.go         the closed vocabulary of reasons, and the mode of each
//	capabilities.go  the built-ins that a policy may use
//	problems.go      OPA's errors as positioned gateway.Problems
package check
