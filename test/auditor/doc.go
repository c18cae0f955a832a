// Package auditor walks the commands of those who look at what happened, as auditors
// and operators do: scripts in testdata run the built program over what the demo's
// gateways wrote.
//
// Map:
//
//	walk_test.go  builds the program, runs the scripts
package auditor
