// Package proxy is the corridor: every request of every host passes through
// its stages, in an order that is proved when the gateway is built, and every
// one of them ends on record.
//
// The two ideas to keep in mind: what is judged, digested, cleaned and forwarded
// are the same raw bytes; and a stage can only use what a stage before it has
// established.
//
// Map:
//
//	gateway.go      Gateway: what it is made of, how calls arrive and are answered
//	call.go         Call: one request and what is known of it; the facts
//	ports.go        what the corridor needs from other rooms
//	arrive.go       entrance: accept, identify, throttle, decode, route
//	discover.go     server/discover
//	session.go      initialize, ping, logging/setLevel: what only legacy hosts ask
//	list.go         tools/list: gather, visible, page
//	call_stages.go  tools/call: resolve … forward
//	result.go       tools/call: checkOutput, redact
//	record.go       events: intend, conclude, note, record
//	catalog.go      a snapshot with what policy sees of each tool
//	corridor/       Stage and Pipeline
//	answer/         the table of refusals
//	present/        how tools and results are shown to hosts
//	throttle/       what one caller may take
//	refresh/        keeps lists fresh
//	lifecycle/      what a legacy host agrees on; what hosts are offered
//	door/           what fronts over HTTP share: Host, Origin, which front
//	sse/            one HTTP answer: a body or a stream of events
//	modern/         the front for hosts of revision 2026-07-28 over HTTP
package proxy
