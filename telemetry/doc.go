// Package telemetry tells how the gateway fares: metrics and traces by the
// conventions of OpenTelemetry for MCP, to be scraped by Prometheus or sent by
// OTLP, and whether it is alive and ready. It is apart from audit: nothing rests
// on it, and it may lose what it likes.
//
// It has no room for values. Names of tools are labels only where a reviewer
// approved them; any other is "_OTHER", since a label that strangers choose can
// fill a store.
//
// Map:
//
//	telemetry.go  Telemetry: Options, New, Close: where metrics and traces go
//	receiver.go   Receiver: whom the environment names, for the client that reaches it
//	call.go       Call: what is told of one settled call
//	measures.go   the instruments: names, units, buckets
//	logs.go       the operator's log, sent beside them
//	health.go     Health: /livez, /readyz, /metrics, /status
package telemetry
