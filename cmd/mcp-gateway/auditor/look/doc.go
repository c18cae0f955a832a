// Package look holds the command that shows kept arguments. Each look is on record
// before anything is shown.
//
// Map:
//
//	look.go    Command: audit detail
//	escape.go  JSON that a terminal can be shown
package look
