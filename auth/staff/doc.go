// Package staff knows those who run the gateway, by keys of their own that no host
// may hold: who they are, in which roles, and what each role may do.
//
// Map:
//
//	staff.go  Member, Role, Right; Roster: whose key it is
//	tries.go  Tries: how often a wrong key may be tried
package staff
