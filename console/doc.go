// Package console is the page on which people answer calls that wait: what is pending,
// as it comes; one call with all that matters about it; what was decided; consents that
// stand. It is rendered here, works without a script but for its liveliness, and runs no
// script that it does not bring along. Every string of a caller or upstream passes
// html/template, and nothing else.
//
// Map:
//
//	console.go  Console: routes, headers, who may enter a room
//	enter.go    signing in and out
//	rooms.go    pending, decided, remembered
//	detail.go   one call, and the answer to it
//	pages.go    templates, and what they are shown
//	pages/      the templates
//	static/     style, script, and htmx 2 as its authors publish it (0BSD)
//	sessions/   who is signed in
package console
