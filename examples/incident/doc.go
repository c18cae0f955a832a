// Incident is the example server as a program of its own, as a third party's
// would be; what it serves is package desk.
//
// Map:
//
//	main.go  flags
//	desk/    the server
package main
