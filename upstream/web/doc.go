// Package web speaks to one upstream over Streamable HTTP of revision
// 2026-07-28: each request is one POST, and its answer comes on that response
// and nowhere else, so that no answer can cross from one caller to another.
//
// Servers that speak earlier revisions over HTTP are told apart and refused
// with ReasonLegacyHTTP.
//
// Map:
//
//	link.go      Link, Options: the upstream, its state, one exchange
//	probe.go     server/discover, and what each kind of failure means
//	request.go   one POST as net/http wants it; whether any of it was sent
//	answer.go    a response of either media type, read within bounds
//	classify.go  the reason for a failed connection or a status
//	listen.go    the stream on which a server tells of changes
package web
