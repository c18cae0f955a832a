// Package ground finds the state that a command reads, also behind a configuration
// with faults: what is on record does not depend on a typo.
//
// Map:
//
//	ground.go  Read
package ground
