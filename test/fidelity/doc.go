// Package fidelity sends generated messages of every type that passes through the
// gateway, from each era of hosts to each era of upstreams and back, and holds that
// they arrive as they were sent: equal in canonical form but for the members that
// docs/presentation.md names.
//
// Instances are generated from the protocol's own schemas, with a fixed seed:
// unknown members, null, zero and absent members, spellings of numbers, escapes and
// scripts, deep nesting, _meta. No text of theirs holds what is cleaned, so that the
// shipped configuration cleans nothing in them; a second round is full of such texts,
// before an upstream of which nothing is cleaned (unsafe_uncleaned).
//
// Map:
//
//	schema_test.go    the schemas, and instances of their types
//	values_test.go    values of any kind, spelled in many ways
//	json_test.go      objects taken apart and put together as raw JSON
//	upstream_test.go  an upstream of either era that says what it is told to say
//	host_test.go      a host of either era
//	scene_test.go     a gateway between them; one message sent and compared
//	results_test.go   results and notifications, towards hosts
//	requests_test.go  requests, towards upstreams
//	asked_test.go     what upstreams ask, and what hosts answer
//	lists_test.go     definitions
//	types_test.go     which types pass, and where the others end
//	fidelity_test.go  all of it, counted
package fidelity
