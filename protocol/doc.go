// Package protocol decodes what peers send, strictly and before anything else
// looks at it, and writes the small fixed shapes that the gateway sends itself:
// raw JSON in, sub-slices of the same bytes out, no flow and no I/O.
//
// The rule that everything else rests on: bytes pass [Check] once, where they
// enter, and are then only walked. What is judged, digested and forwarded are
// the same bytes; two readers can not see two meanings in them, because
// duplicate names, broken UTF-8, lone surrogates and second documents were
// refused.
//
// Map:
//
//	check.go      Limits, Check: exactly one JSON value, unambiguous and bounded
//	walk.go       Members, Elements, Member, Lookup, Text: over checked JSON
//	canonical.go  AppendCanonical, DigestOf, Equal: one spelling of each value
//	request.go    Request, Meta: what a host sends
//	message.go    Message, RPCError: what an upstream sends; the responses we write
//	exchange.go   Outgoing, Incoming: one call to an upstream and its answer
//	words.go      method, header and _meta names, JSON-RPC codes, HTTP statuses
//	revision.go   protocol revisions and their order
//	header.go     the =?base64?…?= value codec and the standard header checks
//	mirror.go     x-mcp-header annotations of an input schema
//	param.go      Mcp-Param-* headers against arguments, both ways
//	number.go     number lexemes compared without floating point
package protocol
