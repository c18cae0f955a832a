// Package approvals holds the gateway to what it says of approvals: who may answer, by
// which way, for which very call, how often, and what goes on record.
//
// Map:
//
//	main_test.go     the upstream that counts, the reviews, how calls are made
//	admin_test.go    the operators' API: roles, separation of duties, record
//	socket_test.go   the socket, its token, and the commands
//	binding_test.go  the binding, one field at a time; consent and scope; two gateways
//	ways_test.go     an approval from every kind of host, the command line and the page
//	office/          the office by itself
//	stand_test.go    consents that stand for later calls; how often a caller may ask
package approvals
