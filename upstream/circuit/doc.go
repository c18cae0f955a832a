// Package circuit keeps calls from an upstream of which none came to anything for a
// while. It is apart from the client, since it knows nothing of calls but what became
// of them.
//
// Map:
//
//	breaker.go  Breaker
package circuit
