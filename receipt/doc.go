// Package receipt knows what became of side effects: the ledger of actions, one
// for each call that may change something, and the signed receipts that say so to
// others.
//
// An action is entered before anything is sent, and its outcome is never guessed:
// what was sent and not answered stays outcome_unknown until somebody or something
// that knows says otherwise.
//
// Map:
//
//	ledger.go     Entry, Ledger: actions, their keys and states; store implements it
//	key.go        Key: which repeat of a call is the same call
//	statement.go  Statement: what a receipt says, in the one form in which it is signed
//	envelope.go   Envelope, Sign: a DSSE envelope over a statement
//	find.go       Find: the envelope within what a host got
//	verify.go     Verify, Refusal: which receipt is good, and by what name others are refused
package receipt
