// Package exhibit is one thing as an upstream lists it, for other programs to read.
//
// Map:
//
//	exhibit.go      Write: what is known of it as one JSON object
//	differences.go  Differences: how it differs from what was reviewed
package exhibit
