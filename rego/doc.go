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
// The input is AuthZEN-shaped: subject, action, resource, context. Its two
// draft-07 schemas are embedded (InputSchema) and hold at load, so that a
// mistyped field is a Problem with its position and not a rule that silently
// never matches. Built-ins that reach the network, the process, the clock or
// randomness are not there: the same input always gives the same answer, and
// context.time is the only clock.
//
// Map:
//
//	check/           what happens once: files → checked, prepared policy, or all its problems
//	load.go          Load, Options; the phases and their schemas
//	engine.go        Engine: Visible, Decide; one evaluation each, bounded in time
//	input.go         Tool, Resource, Context: the input as terms, built once where possible
//	value.go         arguments as sent → terms, numbers exact
//	decision.go      Decision, Permit: the answer and the proof of it
//	policy/          the shipped policy and its tests, the model of how to write one
package rego
