// Package file is the index as a file: how SQLite opens it, whether it is one, and how
// it goes.
//
// Map:
//
//	file.go  Connect, Pages, Damaged, Remove, Size
package file
