// Package policy holds the shipped policy and the library, as Rego with tests.
//
// Map:
//
//	policy.go           Files, Library: the embedded texts
//	gateway.rego        the shipped policy: visible and decision
//	scopes.rego         scopes that a subject holds, and scopes that a tool needs
//	lib.rego            data.mcp.lib: common rules in one line
//	gateway_test.rego   tests of each, run by go test and by `policy test`
//	scopes_test.rego
//	lib_test.rego
package policy
