// Package secret finds credentials in text and replaces them by placeholders. It
// is apart from redact, which knows where text stands, because it knows bytes
// only, and because its rules are data that will grow.
//
// Map:
//
//	secret.go  Scanner: a literal prefilter, then the rules in windows
//	rules.go   the rules, each with its samples
package secret
