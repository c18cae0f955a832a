// Package modern is the front for hosts that speak MCP 2026-07-28 over HTTP:
// one POST, one request, one answer, and no state between them.
//
// Map:
//
//	front.go   Front: the http.Handler; a request becomes a Call, its answer a response or a stream
//	accept.go  what is judged from headers alone
//	agree.go   what is judged once the body is decoded: headers that mirror it
package modern
