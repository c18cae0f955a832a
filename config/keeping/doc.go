// Package keeping says in the configuration how long what is on record is kept.
//
// Map:
//
//	keeping.go  Retention of the journal, Detail: kept arguments
package keeping
