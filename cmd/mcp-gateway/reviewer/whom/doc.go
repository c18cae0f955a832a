// Package whom names the classes of principals that nobody in the configuration is: who
// they are is known when they come.
//
// Map:
//
//	classes.go  Class; Of: whom an issuer may send, by the scopes that reviews name
//	roles.go    Roles: whom policy tells apart by groups, scopes and tenants of its own
package whom
