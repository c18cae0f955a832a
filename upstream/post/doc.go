// Package post makes one HTTP request to an MCP server and reads what comes
// back, within bounds: headers as each revision wants them, whether any of the
// request was sent, an answer as JSON or on an event stream, and the reason for
// everything that is no answer. It keeps no state of the server.
//
// Map:
//
//	request.go   Server: POST, GET and DELETE as net/http wants them
//	answer.go    Reader: the response to one exchange, of either media type
//	courier.go   Courier: what is told without waiting for an answer
//	classify.go  the reason for a failed connection or a status
package post
