// Package consent asks people about calls that policy asks about. What they answer
// is bound to that very call, becomes a fact for policy, and is used up by the call
// that runs. Policy is always asked again: an approval satisfies an ask, and never
// overrides a denial.
//
// Map:
//
//	desk.go   Desk: finds the ticket of a call, or opens one; asks policy again
//	ask.go    how hosts of each era are asked for their user's own consent
//	show.go   what a person is shown, and what must not be hidden from them
package consent
