// Package details is the database of kept arguments: a file of its own, so that it
// can be left out of copies, and deleted, alone.
//
// Map:
//
//	details.go  DB: Open, Keep, Get, Sweep
package details
