// Package demo walks a whole gateway as its hosts would: it starts one with the
// incident example and a server that misbehaves on demand behind it, plays the
// boundary cases of a tool call, and shows for each what was observed and what is on
// record. Clock and inputs are fixed and ids are numbered as they appear, so that
// every run reports the same bytes.
//
// Map:
//
//	command.go  the command, and the processes that it runs
//	trace.go    what is on record of a case, without names of its own
//	report.go   report: JSON, Markdown and the trace
//	tell.go     the story: played, and printed
//	plots/      the cases
//	scene/      what they are played on
//	tracker/    the server that misbehaves
package demo
