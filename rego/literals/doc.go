// Package literals collects the texts that stand in a policy: names of groups, scopes
// and tenants are among them, wherever rules, functions or data hold them.
//
// Map:
//
//	literals.go  Of
package literals
