// Package demo walks a whole gateway as a host would: it starts one with the
// incident example behind it, makes calls that are allowed, refused and held
// back, and shows for each what was decided, why, and the event of it.
//
// Map:
//
//	command.go  the command, and the example server that it runs
//	stage.go    the gateway, its files and its callers
//	host.go     a host of revision 2026-07-28
//	story.go    the steps, and what must come of each
//	tell.go     what is printed
package demo
