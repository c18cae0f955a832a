// Package detail keeps what events must not hold, for a short time and only where an
// operator wants it: the arguments of calls, each encrypted by a key of its own and
// bound to its action. It is off unless configured. Nothing rests on it: calls go on
// when it is full or broken, and that is told.
//
// Map:
//
//	detail.go  Kept, Store, Reasons; Seal, Open: how arguments are encrypted
//	box.go     Box: Keep, Run: off the path of calls
package detail
