// Package look holds the command that shows kept arguments. Each look is on record
// before anything is shown.
//
// Map:
//
//	look.go    Command: audit detail
//	many.go    Many: the kept arguments of several calls
//	escape.go  JSON that a terminal can be shown
package look
