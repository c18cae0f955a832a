// Mcpgo lists and calls through a gateway by the client of mark3labs/mcp-go. It
// is a module of its own, so that nothing of that library is ever linked into
// the gateway.
//
// Map:
//
//	main.go  the command: connects over HTTP or stdio, lists, calls
package main
