// Package signs connects a gateway to telemetry: what is told of each call, and
// the listener on which it says how it fares.
//
// Map:
//
//	signs.go     Observe: a settled call in the words of telemetry
//	serve.go     Serve: the listener for health, metrics and status
//	standing.go  Checks and Stand: what it says there
//	bundles.go   Bundles: what it says of each bundle of the policy
package signs
