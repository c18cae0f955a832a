// Package answer writes what a question about the record found: rows, or how many of
// each. What it leaves out, it says.
//
// Map:
//
//	rows.go  Bound; Rows, Counts
//	sql.go   SQL
package answer
