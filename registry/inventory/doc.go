// Package inventory asks of all that is listed what a reviewer asks once a quarter:
// what need not be there, and who can reach tools that together carry private data
// to strangers.
//
// Map:
//
//	remove.go  Remove: candidates to take out, with the reason
//	lethal.go  Lethal: who has all three, and what breaks it
package inventory
