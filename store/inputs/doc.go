// Package inputs keeps what policy was asked, without arguments, once each and
// under its digest, so that a decision on record can be explained and replayed.
//
// Map:
//
//	inputs.go  Folder: Keep, Get
package inputs
