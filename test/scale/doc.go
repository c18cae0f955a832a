// Package scale measures the index of the record as it grows: what an event costs it in
// CPU and on disk, and how long the newest events of a principal take among one million
// and among ten million. The events are written by the journal and read by the index as
// in a gateway; only their contents are drawn by lot. Both indexes are asked by turns in
// one run, so that what else the machine does falls on both alike.
//
// Each run of the tests measures a few thousand events; `make audit-scale` the millions,
// which takes minutes and some 10 GB under -dir.
//
// Map:
//
//	scale_test.go   the run and what it prints
//	events_test.go  events as a gateway writes them
package scale
