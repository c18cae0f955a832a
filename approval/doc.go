// Package approval knows tickets: a person is asked whether one very call may go
// ahead, and the answer is good for that call alone, once, until it expires.
//
// Map:
//
//	binding.go  Binding: the very call that a ticket is for; how another differs
//	ticket.go   Ticket, State, Consent, Tickets: each state is left once; store implements it
//	sheet.go    Sheet, Person: what an approver is shown, and who may approve
//	office/     where people answer: lists, sheets, verdicts, each put on record
package approval
