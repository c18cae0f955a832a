// Package session speaks Streamable HTTP of revisions 2025-03-26 to 2025-11-25
// to one server: a session that is initialised, requests that are POSTs with
// their answers on the same response, and a stream on which the server speaks
// by itself.
//
// It posts by itself rather than through the SDK's raw connection. That one
// hands everything that any stream brings to a single reader, so that a question
// or a log message can no longer be told to belong to the call on whose stream
// it came; it decodes leniently before we see the bytes, has no bound on a JSON
// body, and can't say whether a request was sent.
//
// Map:
//
//	session.go   Session, Options: from initialize to DELETE
//	exchange.go  one request and its answer, resumed where the server allows it
//	hear.go      the server's own stream, with its own back-off
package session
