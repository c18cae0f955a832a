// Package twins finds what would be called by one name. Which of them a call meant
// must never depend on the order of lists or reviews, or on a slip of the pen.
//
// Map:
//
//	twins.go  Find: those that share a name, each with the others named
package twins
