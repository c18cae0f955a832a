// Command bench measures what the gateway costs: the same requests to the same
// upstream directly, through httputil.ReverseProxy, and through a whole gateway
// with everything on: API key, policy on every call, both schemas, cleaner,
// journal and its index. Calls of an older revision are measured against a proxy
// made of the SDK's typed server and client, which does nothing else.
//
// Upstream, bare proxy, gateway and the builder of its index are child processes
// of this one, and each tells its own CPU time and allocations, so that nobody's
// figures hold another's work. Targets are measured in turn, the order reversed each round, and what is
// printed is the median over rounds. Times on a machine that is shared are good
// as ratios within one run only; allocations repeat within about one per cent.
//
// Map:
//
//	main.go      flags; the run from first to last
//	role.go      a child process: what it serves, what it used, its end
//	upstream.go  roles upstream and bare: SDK servers, httputil.ReverseProxy
//	gateway.go   role gateway: configuration, review, run.Open and Serve; role index
//	request.go   the requests and what their answers must hold
//	shape.go     how large a gateway is: its configuration and policy
//	issuer.go    an issuer of tokens, for many principals
//	growth.go    the same call as upstreams, tools, principals, results grow
//	page.go      docs/performance.md and its plot
//	receipts.go  what it takes to verify receipts
//	apart.go     what durability costs: the journal's, the ledger's and the index's part
//	reviewed.go  what lists cost apart: the re-check, a principal's view, the event
//	kept.go      role kept: what net/http takes to write the bytes of a list
//	legacy.go    role typed; calls within a session of an older revision
//	load.go      the load: one request again and again on persistent connections
//	measure.go   slices, rounds, medians
//	table.go     the tables and the verdict
//	profile.go   CPU and allocation profiles of the gateway
package main
