// Package rawjson is JSON as bytes: checked once, strictly, then walked, compared
// and digested in place. It knows nothing of MCP. Other rooms reach it through
// package protocol, but for those that go over checked bytes themselves (SkipValue).
//
// Map:
//
//	check.go      Limits, Check: exactly one JSON value, unambiguous and bounded
//	around.go     CheckAround: Check, but lenient within the elements of one array
//	walk.go       Members, Elements, Member, Lookup, Text: over checked JSON
//	skip.go       SkipSpace, SkipString, SkipScalar, SkipValue: where things end in checked JSON
//	canonical.go  AppendCanonical, DigestOf, Equal: one spelling of each value
//	number.go     SameNumber, IntegerText: lexemes compared without floating point
package rawjson
