// Package custody is the command line over the gateway's own keys: which there are, a new
// one for what the old one did, and one that several gateways share.
//
// Map:
//
//	command.go  Commands: keys list, keys rotate, keys import
package custody
