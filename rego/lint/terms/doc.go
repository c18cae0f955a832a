// Package terms says of OPA's types, values and built-ins what the walk of a policy
// asks about them.
//
// Map:
//
//	terms.go  OfType, OfValue: the kinds of each; Call: what a built-in answers
package terms
