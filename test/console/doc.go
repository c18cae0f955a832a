// Package console holds the console to what people do there, in a headless Chromium: it
// signs in, waits for a call, reads it, answers it, by keyboard where a keyboard is
// enough, in light and in dark; and it tries what a hostile page or argument would.
//
// It is a module of its own, so that nothing else needs a browser. `make console` runs
// it; with -shots DIR it writes the pictures of the guide.
//
// Map:
//
//	browser_test.go  the browser: tabs, keys, what it complains about
//	stand_test.go    the gateway before it, and who calls
//	walk_test.go     an approver's walk, and the pictures
//	hostile_test.go  what must not work
package console
