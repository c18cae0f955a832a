// Package pack makes bundles of policies and reads them, in OPA's own format:
// what `opa build` writes is read, and what is written here OPA reads. A bundle
// is read only if it is signed, unless that is waived by name.
//
// Map:
//
//	pack.go   Build: a checked folder → a signed bundle
//	read.go   Read: a bundle → a checked policy, or the code of what is wrong with it
//	join.go   Join: several bundles, each with its roots → one checked policy
//	keys.go   PEM keys and the algorithms that go with them
package pack
