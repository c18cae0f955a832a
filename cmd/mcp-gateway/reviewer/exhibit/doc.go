// Package exhibit is one thing as an upstream lists it, for other programs to read.
//
// Map:
//
//	exhibit.go  Write: what is known of it as one JSON object
package exhibit
