// Package literal tells of a regular expression which literals a text must hold one of
// to match it. Most texts hold none, and to see that costs a small part of what the
// expression does.
//
// Map:
//
//	literal.go  Gate, Of, Open
package literal
