// Package legacy is the front for hosts that speak MCP 2025-03-26 to 2025-11-25
// over HTTP: sessions, which begin with initialize and end with DELETE, with
// idleness or with the gateway; POSTs, answered by JSON or by a stream; and one
// GET stream for each session.
//
// A session says what was agreed on and never who calls: each request brings its
// own credential, and a session is unknown to everybody but the principal that
// began it.
//
// Map:
//
//	front.go     Front: the http.Handler; POST, GET, DELETE
//	exchange.go  one POST: how it agrees with its session; its Stream
//	sessions.go  the table of sessions: limits, idleness, whose they are
//	session.go   one session: calls under way, what is asked, what is announced
package legacy
