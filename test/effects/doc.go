// Package effects holds the gateway to what it says of side effects: which calls
// run, how often the upstream executed them, and what receipts and ledger tell.
//
// Map:
//
//	main_test.go       the upstream that counts, the reviews, receipts verified
//	ledger_test.go     keys, repeats, unknown outcomes, evidence
//	repeat_test.go     a repeat beside its first call, its approval, its key, what it is told
//	outcome_test.go    the reviewed words of a result; one action across rounds
//	reconcile_test.go  the status tool, a person's word, verified_by
//	retry_test.go      what is sent again, and within whose time
package effects
