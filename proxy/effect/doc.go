// Package effect keeps calls with side effects to once: each is in the ledger
// before it is sent, its key tells a repeat from a new call, and what became of it
// is settled with a signed receipt. Calls that only read pass by.
//
// The order is ledger, journal, send. So an action in flight without a decided
// event was never sent, and one with it and without a finished one has an unknown
// outcome, which time alone never changes.
//
// Map:
//
//	book.go       Book: what it is made of; Enter: the action is in flight, durably
//	key.go        Keyed: the idempotency key, and the argument that carries it
//	pointer.go    put, nested: a value at the place that a pointer names
//	repeat.go     Repeat: what the ledger knows of a key: nothing, a recorded outcome, a conflict
//	wait.go       a repeat waits for the first call, within its time
//	outcome.go    Told, Evidence, Weigh: what a result says became of it
//	settle.go     Settle: what became of it, and the receipt
//	recover.go    Recover: actions whose writer died; Forget: keys whose time is over
//	reconcile.go  Reconcile: what became of an unknown outcome, or what it is called, by who knows
package effect
