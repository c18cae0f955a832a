// Package upstream is one third-party MCP server, whatever it speaks: a child
// process of either era, or Streamable HTTP of revision 2026-07-28. It finds out
// which, keeps it running or within reach, bounds what it may cost, and returns
// its answers as the raw bytes that it sent.
//
// Map:
//
//	config.go  Config: one upstream of the configuration, with its bounds
//	client.go  Client: New, Call, Changed, Close
//	gate.go    how many calls may be in flight, and how many may wait
//	list.go    List: all pages of tools/list, bounded
//	status.go  Status: up or down, as what, why, since when, and the counters
//	child/     supervises a process; knows nothing of MCP
//	stdio/     requests and answers over a process
//	web/       requests and answers over HTTP
//	sse/       reads event streams
//	wire/      what stdio and web share: envelopes, eras, reasons
package upstream
