// Package reports holds the commands that look at many calls at once: what goes wrong
// how often, and what people who looked at a sample say of it.
//
// Map:
//
//	command.go  Commands: audit report, audit review
//	calls.go    by tool and class of principal: what was refused or broken, and where
//	unused.go   tools that were never called
//	drift.go    from a changed definition to its block
//	review.go   audit review sample, label, rates
//	sample.go   Sample: a random choice that a seed gives again
//	wilson.go   Wilson: how sure a share is
package reports
