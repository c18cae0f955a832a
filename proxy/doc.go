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
//	gateway.go   Gateway: what it is made of, how calls arrive and are answered
//	arrive.go    entrance: accept, identify, throttle, decode, route
//	discover.go  server/discover
//	session.go   what only legacy hosts ask: initialize, ping, logging/setLevel
//	call/        Call: one request; World: the settings in force; the ports
//	corridor/    Stage and Pipeline
//	listen/      who is told what changes
//	lists/       the lists of every kind: gather, visible, page
//	execute/     to an upstream and back, in one round or several: resolve … redact
//	consent/     people are asked about calls that policy asks about
//	effect/      the ledger of side effects: once, and with a receipt
//	reconcile/   what became of calls whose outcome is unknown
//	retry/       when an exchange is made again
//	handles/     what upstreams hand out, bound to whom it was given
//	state/       what a call carries from round to round, sealed
//	inquiry/     what upstreams ask of hosts, judged
//	relay/       progress and log messages
//	record/      events: intend, conclude, note, refused
//	sight/       what is served, and who sees what
//	answer/      the table of refusals
//	present/     how items and results are shown to hosts
//	stepup/      which scopes a denied call needs
//	throttle/    what one caller may take
//	refresh/     keeps lists fresh
//	lifecycle/   what is agreed with legacy hosts
//	door/        what fronts over HTTP share
//	sse/         event streams
//	modern/      the front for hosts of revision 2026-07-28 over HTTP
//	legacy/      the front for hosts of the revisions before it over HTTP
//	stdio/       the front for one host of either era over stdio
//	ask/         what was asked of legacy hosts
package proxy
