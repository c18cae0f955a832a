// Package operator holds the commands of those who approve calls and look after side
// effects: tickets, actions, receipts. They work on the state directory, beside the
// gateways that use it.
//
// Map:
//
//	desk.go       the state that the commands share; Commands
//	approvals/    approvals list, show, approve, deny, revoke, remembered
//	receipts.go   receipts list, show, verify, keys
//	ledger.go     ledger list, show: what ledger and journal know of an action
//	reconcile.go  ledger reconcile: what became of an unknown outcome, and what it is called
package operator
