// Package auditor walks the audit commands as an auditor does: scripts in
// testdata run the built program over journals that the demo's gateways wrote.
//
// Map:
//
//	walk_test.go  builds the program, runs the scripts
package auditor
