// Package logs says in the configuration how much the gateway tells on standard error.
//
// Map:
//
//	logs.go  Log, Level; how the file says it
package logs
