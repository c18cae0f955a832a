// Package home is the state directory, and whose it is.
//
// Map:
//
//	home.go  Make, Enter: the directory, the replica's id
package home
