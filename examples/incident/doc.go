// Incident is an MCP server over stdio about one incident of a payments
// service. Its data and its clock are fixed, so that every run tells the same
// story; what it creates lives as long as the process.
//
// Map:
//
//	main.go      flags, and the server on stdin and stdout
//	tools.go     the four tools: their handlers
//	schemas.go   the four tools: their input and output schemas
//	desk.go      the tickets
//	story.go     the fixed data, the runbook and the prompt
//	variant.go   a definition that changes while the server runs
//	recorder.go  a line in a file for each call that was executed
package main
