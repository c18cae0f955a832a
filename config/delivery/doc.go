// Package delivery says in the configuration where bundles of policy come from, and
// which are taken.
//
// Map:
//
//	delivery.go  Policy, Bundle, Report
package delivery
