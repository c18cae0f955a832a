// Package protocol decodes what peers send, strictly and before anything else
// looks at it, and writes the small fixed shapes that the gateway sends itself:
// raw JSON in, sub-slices of the same bytes out, no flow and no I/O.
//
// The rule that everything else rests on: bytes pass [Check] once, where they
// enter, and are then only walked. What is judged, digested and forwarded are
// the same bytes, and no two readers can see two meanings in them, because
// duplicate names, broken UTF-8, lone surrogates and second documents were
// refused.
//
// Map:
//
//	front.go      the front door to rawjson (checked JSON as bytes) and headers
//	request.go    Request, Meta: what a host sends
//	message.go    Message, RPCError: what an upstream sends; the responses we write
//	exchange.go   Outgoing, Incoming: one call to an upstream and its answer
//	standard.go   CheckHeaders: version, method and name headers against the body
//	words.go      method, header and _meta names, JSON-RPC codes, HTTP statuses
//	revision.go   protocol revisions and their order
package protocol
