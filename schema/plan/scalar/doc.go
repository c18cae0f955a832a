// Package scalar holds what a subschema says of a value by itself, without its
// members and without other subschemas, and judges raw tokens by it.
//
// Map:
//
//	rule.go     Rule: type, enum and const, strings, numbers
//	work.go     Rule.Work, Distinct: what the library needs for a value, in steps
//	decimal.go  exact comparison of number lexemes without big numbers
package scalar
