// Package admin is the operators' API: JSON over HTTP, on a unix socket in the state
// directory and, where the configuration says so, on loopback. Every request names a
// key of those who run the gateway; what its roles don't hold is refused. Nothing here
// is done by a cookie, so that no page of a browser can make anyone do it.
//
// Map:
//
//	admin.go      API: routes, bounds, who asks
//	approvals.go  what waits for a person: list, show, answer
//	standing.go   how the gateway stands: status, upstreams, tools; a fresh look at an upstream
//	events.go     the record: the question of audit query, a page at a time
//	question.go   a question as a query string, and what of it no event has
//	details.go    kept arguments, for those of a role of its own
//	reply.go      Fault: errors by code
//	wire.go       the JSON that goes over the wire, for both sides
//	local/        the socket and its token
//	client/       the API from the other side, for commands
package admin
