// Package run assembles a gateway from its configuration, serves it, and
// replaces what may change while it runs.
//
// Map:
//
//	gateway.go    Gateway: open, serve, close
//	stdio.go      serves one host over stdio
//	world.go      configuration → the settings and upstreams that calls run under
//	reload.go     files that changed → a whole new world, or the old one
//	inspect.go    what is known of upstreams and tools, without serving
//	keep/         what is on record: its index, its checkpoints, what retention removes
//	effects.go    actions that were left in flight, and keys whose time is over
//	clerk/        a writer for a person's word
//	past/         what calls became of, read in the journal
//	tell/         what the operator's log says of calls, lists and reloads
//	home/         the state directory, and whose it is
//	absent/       upstreams that lack a secret
//	served/       what a command sees, as the gateways that run serve it
//	delivery/     policy that comes as bundles
//	terms/        rates and credentials of the configuration, as rooms take them
//	fare.go       how the gateway fares: telemetry, health, status
//	seals/        who signs checkpoints, and the second place
//	signs/        a settled call in the words of telemetry, and its listener
//	server/       the listener of hosts, and its certificate
//	admins/       those who run it: socket, listener, record
//	whois/        what an upstream is
package run
