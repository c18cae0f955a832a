// Package desk is the incident example: an MCP server over stdio about one
// incident of a payments service. Its data and its clock are fixed, so that
// every run tells the same story; what it creates lives as long as the process.
//
// Map:
//
//	serve.go     Serve: the server on standard input and output
//	tools.go     the four tools: their handlers
//	schemas.go   the four tools: their input and output schemas
//	tickets.go   the desk: tickets that were opened
//	story.go     the fixed data, the runbook and the prompt
//	variant.go   a definition that changes while the server runs
//	recorder.go  a line in a file for each call that was executed
package desk
