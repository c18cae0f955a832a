// Package cases runs every case of attacks.jsonl and bugs.jsonl, hostile inputs and
// faults that were seen elsewhere, through a whole gateway. A case is met when three
// ways of looking at it agree: what a host or an upstream sees, what the event on
// record says, and that all other tools are served as before.
//
// A case has a proof, or stands in the table of those whose mechanism a part of the
// gateway still owes, or of those that do not apply. A line of the files that has
// none of these fails the test, and so does a proof that leaves one of the three
// ways out.
//
// Map:
//
//	attacks.jsonl       the attacks: id, kind, input and what is expected
//	bugs.jsonl          the faults, likewise
//	cases_test.go       the run: every case by its id, and the score
//	tables_test.go      which proof is whose, what is owed, what does not apply
//	trial_test.go       trial: one case and the three ways of looking at it
//	scene_test.go       scene: a gateway before a peer with the case's tools
//	main_test.go        the processes that are upstreams here
//	definition_test.go  what descriptions and names say
//	findings_test.go    definitions that read like orders
//	schema_test.go      what schemas do
//	drift_test.go       what changes after its review
//	identity_test.go    upstreams that are others than were reviewed, and what they tell models
//	result_test.go      what comes back
//	eras_test.go        answers from upstreams of each revision and transport upon hosts of each
//	answer_test.go      errors, sizes and frames that come back
//	consent_test.go     approvals
//	request_test.go     what hosts send
//	header_test.go      what stands in headers
//	transport_test.go   streams, sessions, processes
//	config_test.go      what configurations ask for
//	fidelity_test.go    bugs: what gets lost on the way
//	lists_test.go       bugs: lists and who is told of them
//	life_test.go        bugs: sessions, processes and their ends
//	run.sh              make attacks: the run, and its score as the last line
package cases
