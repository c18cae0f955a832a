// Package secret resolves what configuration must not hold itself: env:NAME and
// file:PATH become values that print as nothing.
//
// Map:
//
//	secret.go  Secret; Files: Reference, Variable, Key
package secret
