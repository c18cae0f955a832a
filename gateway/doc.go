// Package gateway holds the words that several rooms of the gateway share.
// It imports the standard library only and no other package of this module,
// so that every room may import it and none is drawn in with it.
//
// Map:
//
//	principal.go   Principal: who calls, as the gateway verified it
//	behalf.go      Bearer, Behalf: for whom an upstream is called, and by which token
//	item.go        Kind, ItemID, Digest, ExposureFacts: what is offered, as which definition, reviewed how
//	obligation.go  Obligations, ApprovalBy, ApprovalFact: what a decision asks for, and who approved
//	facts.go       StatusQuery, Deprecation, AuditLevel: the facts of which few records have any
//	decision.go    Effect, Reason, Outcome: what was decided and what became of it
//	reasons.go     Reasons, Outcomes: every one that this package names
//	error.go       Code, Error: the closed vocabulary of refusals
//	finding.go     Pos, Problem, Finding, Violation: what was found, and where
package gateway
