// Package plain makes short HTTP/1.1 exchanges over unencrypted connections, each
// written and read by the goroutine that asks for it.
//
// http.Transport keeps two goroutines for every connection, so that each exchange is
// handed from one to another four times; between a gateway and a server beside it
// that is most of what an exchange costs. What needs those goroutines is left to
// it: TLS, HTTP/2, bodies so large that a server may answer before it has read them,
// and whatever a Transport adds to a request by itself.
//
// Requests and answers are written and parsed by net/http.
//
// Map:
//
//	transport.go  Transport: which requests go this way; one exchange
//	line.go       one connection: writing, the bounded head, whether it is alive
//	pool.go       connections that are idle, and for how long
//	body.go       the answer's body, with whose end the connection is free again
package plain
