// Package pen writes what a person did to the record: a label, a look at kept
// arguments. A command is a writer of its own in the journal, beside the gateways
// that live.
//
// Map:
//
//	pen.go  Write: events of one sitting; Me: whose they are
package pen
