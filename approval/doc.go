// Package approval knows tickets: a person is asked whether one very call may go
// ahead, and the answer is good for that call alone, once, until it expires.
//
// Map:
//
//	binding.go  Binding: the very call that a ticket is for; how another differs
//	ticket.go   Ticket, State, Tickets: each state is left once; store implements it
package approval
