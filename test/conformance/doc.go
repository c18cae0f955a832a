// Conformance runs the protocol's official suite against a reference server
// twice: directly, and through a gateway that stands in front of it. What
// passes directly must pass through. It also lets the suite's client tests
// judge the gateway as a client.
//
// The suite's own totals are no gate: it scores a port where nobody listens
// with dozens of successes. So required.yaml names every check that must
// succeed, expected.yaml every one that may not, with its reason, and a dead
// port must fail the same gate.
//
// Map:
//
//	run.sh         installs Node and the suite where they are missing; make conformance
//	main.go        flags, and the order of a whole run
//	plan.go        which suites run against what
//	suite.go       runs the suite; its results become a report
//	table.go       what a run prints
//	fixture.go     the reference server and client: built, started, both eras behind one URL
//	stand.go       a gateway that lets everything pass
//	client.go      the client tests, direct and through a gateway
//	learn.go       writes required.yaml anew
//	checks/        the gate
//	policy/        the policy that allows all
package main
