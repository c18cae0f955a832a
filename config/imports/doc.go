// Package imports reads the servers that a host's own file names and adds them to
// upstreams.yaml, without their secrets and without serving anything of them.
//
// Map:
//
//	parse.go  Parse: a host's JSON, in the shapes that hosts use
//	jsonc.go  comments and trailing commas, which hosts' files have; places
//	add.go    Add: the servers as upstreams
package imports
