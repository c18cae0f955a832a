// Package scalar holds what a subschema says of a value by itself, without its
// members and without other subschemas, and judges raw tokens by it.
//
// Map:
//
//	rule.go     Rule: type, enum and const, strings, numbers
//	decimal.go  exact comparison of number lexemes without big numbers
package scalar
