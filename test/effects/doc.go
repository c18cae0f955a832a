// Package effects holds the gateway to what it says of side effects: which calls
// run, how often the upstream executed them, and what receipts and ledger tell.
//
// Map:
//
//	main_test.go    the upstream that counts, the reviews, receipts verified
//	ledger_test.go  keys, repeats, unknown outcomes, evidence
package effects
