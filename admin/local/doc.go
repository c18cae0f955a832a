// Package local is the unix socket on which a gateway is asked from its own machine.
// Children of the gateway share its user and may connect; what they can't read is the
// token, which every request names. Several gateways may share one state directory, and
// even one replica's name: one of them serves the socket, the others wait for it to end.
//
// Map:
//
//	serve.go  Serve: the socket, its token, its lock
//	find.go   Find, All: which gateways can be asked, for commands
//	path.go   sockets behind paths that are too long for one
package local
