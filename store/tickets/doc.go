// Package tickets keeps questions to people, their answers, and the consents that
// stand for later calls, in the state database.
//
// Map:
//
//	tickets.go   Box: approval.Tickets, each change one compare-and-set
//	noted.go     what is not known to be on record
//	clock.go     the time by which they end, which never goes back
//	consents.go  approvals that stand for later calls
package tickets
