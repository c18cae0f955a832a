// Package reviewer holds the commands of whoever decides what is served: first
// contact with an upstream, and the inventory.
//
// Map:
//
//	command.go    Desk: what the commands share, and their tree
//	meet.go       upstreams test
//	self.go       upstreams show, upstreams approve
//	differ.go     upstreams diff; Differences: what is not as it was reviewed
//	report.go     tools report: one row a tool
//	combine.go    tools report --lethal: who can reach all three
//	exhibit/      tools show and diff, -o json
//	hostfile/     upstreams import, hosts snippet
//	whom/         classes of principals: whom issuers may send, and policy tells apart
package reviewer
