// Package delivery keeps the policy of a running gateway up to date from bundles,
// and says what became of each.
//
// Map:
//
//	delivery.go  Desk: plans and follows orders; Order: one configured delivery
//	tell.go      what is told of it: log, metrics, events
package delivery
