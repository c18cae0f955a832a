// Package canary puts a text of its own into every place in which a host or an
// upstream can put one, and looks for each of them wherever the gateway keeps,
// logs, measures, traces or refuses: none may be found. What an upstream gives to
// its host in answer is the host's, and is not looked at here.
//
// Map:
//
//	canary_test.go    the run: every path with its canary, and where they are looked for
//	host_test.go      the paths of hosts
//	upstream_test.go  the paths of upstreams
//	main_test.go      the process that is an upstream
package canary
