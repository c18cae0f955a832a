// Package upstream is one third-party MCP server, whatever it speaks: a child
// process, Streamable HTTP of any revision, or the event stream of 2024-11-05. It
// finds out which, keeps it running or within reach, bounds what it may cost, and
// returns its answers as the raw bytes that it sent.
//
// Map:
//
//	config.go     Config: one upstream of the configuration, with its bounds
//	client.go     Client: New, Call, Changed, Close
//	gate.go       how many calls may be in flight, and how many may wait
//	list.go       List: all pages of every list that it declares, bounded
//	watch.go      Watch: who wants to hear of which resource
//	subscribe.go  what the upstream is asked to tell, in step with that
//	status.go     Status: up or down, as what, why, since when, and the counters
//
// Below it, from the wire upwards:
//
//	circuit/   no calls for a while, after several that came to nothing
//	wire/      requests, introductions, terms, reasons: no I/O
//	sse/       reads event streams
//	exchange/  the requests under way, and what is said to and asked of them
//	child/     supervises a process; knows nothing of MCP
//	stdio/     requests and answers over a process, of either era
//	post/      one HTTP request and what comes back
//	pages/     the pages of its lists, bounded
//	session/   Streamable HTTP of 2025-03-26 to 2025-11-25
//	credential/ the credential of its requests, and in whose right they are made
//	classic/   HTTP with SSE of 2024-11-05
//	web/       a server over HTTP: which of these it speaks, and how it fares
package upstream
