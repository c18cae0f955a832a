// Package policy holds what rules of a policy come to in a whole gateway: rate
// classes, obligations, modes, and what hosts claim.
//
// Map:
//
//	policy_test.go       each with a policy of its own
//	obligations_test.go  every obligation, and rules over results
package policy
