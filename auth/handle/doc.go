// Package handle says whose a handle is: a text in an upstream's result, such as
// the cursor of a search, that whoever holds it may use. Upstreams that know the
// gateway alone can't tell one caller's handle from another's; so a handle that a
// reviewer named is bound to the principal that received it, for a while.
//
// Handles are kept as digests under a key of the gateway, never as they are.
//
// Map:
//
//	handle.go  Key, Bound, Store; Judge
package handle
