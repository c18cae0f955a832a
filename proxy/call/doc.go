// Package call is what passes through the corridor: one request with all that is
// known of it, the settings under which it runs, and what the corridor needs from
// other rooms.
//
// Map:
//
//	call.go   Call: one request; the facts that stages establish about it
//	effect.go  Effect: what the ledger knows of a call with side effects
//	world.go  World: the settings in force; the ports to other rooms
//	worlds.go  Worlds: which settings are in force, and when that changes
package call
