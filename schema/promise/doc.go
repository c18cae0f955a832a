// Package promise reads from a schema what it promises of every value that it
// accepts, without a value.
//
// It is cautious: what it can't follow is not promised. A schema that promises
// less than it seems to (a member that may be absent, a null that is allowed) is
// the reason why evidence is missing when it is needed.
//
// Map:
//
//	promise.go  Guaranteed, Declared
//	apply.go    which subschemas apply to one place: allOf and local references
package promise
