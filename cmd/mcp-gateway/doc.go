// Mcp-gateway stands between MCP hosts and third-party MCP servers: it serves
// only what a reviewer approved, decides every list and call by policy, and
// puts each on record.
//
// Map:
//
//	main.go      the tree of commands
//	serve.go     serve
//	stdio.go     stdio
//	loud.go      how much is logged
//	files.go     validate, config schema, keys new
//	tools.go     tools list, show, diff
//	review.go    tools approve, quarantine
//	upstreams.go upstreams list
//	author/      policy …, tools explain
//	operator/    approvals, receipts, ledger
//	run/         assembles and serves a gateway
//	cli/         exit codes, groups and tables that all commands share
//	reviewer/    upstreams import, test, approve; hosts snippet; tools report
//	auditor/     audit query, show, verify, export …
//	demo/        the demo
package main
