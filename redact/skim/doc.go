// Package skim finds where in a text a literal may begin, at the cost of one look at
// every other byte: what comes after it looks closely, and only there.
//
// It is apart from those who look closely, since what they look for differs and the
// way through a text that holds none of it does not.
//
// Map:
//
//	skim.go  Table: Add, Next; Rarest
//	code.go  runs of base64
package skim
