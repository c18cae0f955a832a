// Package tests runs the tests that lie beside a policy, says what they cover, and
// formats both.
//
// Map:
//
//	test.go  Commands: test, coverage, fmt
package tests
