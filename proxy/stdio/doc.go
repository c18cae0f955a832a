// Package stdio is the front for one host of either era that started the gateway
// as its child: one JSON message a line. Who the host is, configuration says; the
// host claims nothing.
//
// The first message decides the era: initialize begins the session of a legacy
// host, any request that names its revision makes it a modern one. Only
// server/discover decides nothing, since hosts of both eras ask it first.
//
// Map:
//
//	serve.go     Serve: lines in, lines out, calls side by side
//	exchange.go  one message on its way: its era, its Stream
//	lines.go     bounded lines
package stdio
