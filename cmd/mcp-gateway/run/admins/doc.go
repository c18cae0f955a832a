// Package admins connects a gateway to those who run it: the socket and the listener
// on which they are answered, who they are by the configuration, and how what they do
// goes on record.
//
// Map:
//
//	desk.go    Desk: who they are now, and where they are answered
//	listen.go  the listener, as soon as its address is free
//	look.go    kept arguments, once the look is on record
//	record.go  what they do, as events
//	world.go   where calls go and where people approve, in words
package admins
