// Package record puts calls on record: what was decided before anything is sent,
// what became of it before anything is answered, and one event for each request
// that was stopped earlier. Events have no room for arguments or results.
//
// Map:
//
//	record.go        Recorder: Intend, Conclude, Note, Refused; counting floods
//	decision.go      what was decided, by what input, and what was asked for besides
//	fault.go         where arguments broke a pinned schema, in declared names only
//	approval.go      Asked, Answered: a person and a call
//	patience.go      how long an event may take to become durable
//	repeat.go        Repeated: a recorded outcome was told again
//	ledger.go        AskedStatus, Reconciled: what became of an action whose outcome was unknown
//	subscription.go  Opened, Closed: who is told of changes, and until when
package record
