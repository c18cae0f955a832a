// Package lint finds in a compiled policy what OPA's type checker lets pass: a
// rule that can never match, and an allow that rests on what nobody verified.
//
// OPA's checker knows nothing of a function's arguments and takes any word for a
// field of few. So the policy is walked once more, with the shape of the input
// standing for the input: what may stand under each name is followed through
// local variables, rules, functions (for every call apart) and comprehensions.
// What is not known is anything, so that nothing right is refused.
//
// Map:
//
//	lint.go     Check, Claims: the two questions, and how findings become one list
//	walk.go     rules, bodies and expressions
//	term.go     terms and references: what may stand there
//	call.go     functions, and the built-ins that matter
//	compare.go  what can never be equal, and how to say it
//	terms/      what OPA's types, values and built-ins are here
//	value.go    value: what may stand under a name
//	fold.go     what built-ins give for the few words that a field may be
package lint
