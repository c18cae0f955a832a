// Package ruling is where calls meet policy: what policy is told of one, and what
// its decision asks for before the call is sent and before the answer leaves.
//
// Map:
//
//	circumstance.go  Ruling: what policy is told beside who, what and with which arguments
//	before.go        Transform: what the decision asks for before sending
//	after.go         Release: what the decision, and the rules about results, let out
package ruling
