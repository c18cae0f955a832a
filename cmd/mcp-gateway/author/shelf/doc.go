// Package shelf is what authors of policy look up: it is in the binary and needs
// neither a configuration nor a gateway.
//
// Map:
//
//	show.go    Show: the shipped policy and the library
//	schema.go  Schema: what policy is asked about
package shelf
