// Package listen says where hosts reach the gateway, and by which certificate.
//
// Map:
//
//	listen.go  Listen; how the file says it
//	tls.go     TLS: the certificate that hosts see
package listen
