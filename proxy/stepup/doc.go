// Package stepup says which scopes a call needs that was denied for want of them,
// so that its sender can ask for them all at once.
//
// Map:
//
//	stepup.go  Refusal; templates of scopes, filled with arguments
package stepup
