// Package question answers questions in SQL over an index file, reading only.
//
// Map:
//
//	question.go  Ask: Answer; Asks: whether a statement asks at all
package question
