// Package flow says where the constants stand that a policy's answer is made of:
// which objects an author wrote down as obligations, and which words as reasons.
// It follows variables, rules, functions with one clause and their arguments,
// comprehensions, unions and differences. What it cannot follow it says so.
//
// Map:
//
//	flow.go   Leaves, Parts: what may stand at a place of what rules give, and of a term
//	scope.go  scope: what a local name stands for
//	words.go  Words, Literals: the texts that may stand there
package flow
