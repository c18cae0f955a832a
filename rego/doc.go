// Package rego asks policy: which tools a principal may know of, and whether
// this call may go ahead.
//
// A policy is a folder of Rego files with two entry points in package
// mcp.gateway. visible is the set of resource ids that the subject may know of,
// over input.resources and without arguments; decision says allow, deny or ask
// for one call, with reasons. A call goes ahead only if both agree. Whatever
// else a policy gives (nothing, an error, two answers, a wrong shape, no answer
// in time) denies, each by its own reason.
//
// A third, result, is asked about what came back, where the policy has a rule for
// it: release, redact or withhold.
//
// The input is AuthZEN-shaped: subject, action, resource, context. Its draft-07
// schema is published (package contract) and holds at load, so that a mistyped
// field or word is a Problem with its position and not a rule that silently never
// matches. Built-ins that reach the network, the process, the clock or randomness
// are not there: the same input always gives the same answer, and context.time is
// the only clock.
//
// Map:
//
//	contract/        the input of each phase, as schema and as shape
//	check/           what happens once: files → checked, prepared policy, or all its problems
//	lint/            what OPA's checker lets pass: rules that never match, allows that rest on claims
//	reads/           which parts of the input a policy looks at
//	literals/        the texts that stand in a policy: names of groups are among them
//	flow/            the constants that an answer is made of
//	written/         answers, and inputs of tests, that could never be
//	names/           references that lead nowhere, rules that decide nothing
//	answer/          what a policy says, read strictly
//	pack/            bundles: made, read, verified
//	facts/           what few reviews say, as terms of the input
//	deliver/         bundles from a file or a service, kept
//	load.go          Load, Options; the phases and their schemas
//	engine.go        Engine: Visible, Decide; one evaluation each, bounded in time
//	memo.go          Needs, and the answers that are kept: by all that the policy looks at
//	kept.go          the argument-free input of a decision, and its digest
//	result.go        JudgeResult: may this result be released
//	input.go         Item, Resource, Context: the input as terms, built once where possible
//	value.go         arguments as sent → terms, numbers exact
//	decision.go      Decision, Permit: the answer and the proof of it
//	policy/          the shipped policy, the library and their tests, the model of how to write one
package rego
