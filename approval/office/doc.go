// Package office is where people answer: it shows them what waits, holds them to who
// may answer, writes their verdict, and puts every act on record. The operators' API,
// the console and the command line all answer here.
//
// Map:
//
//	office.go  Office: list, show, decide, remembered consents; Act
//	sweep.go   Sweep: what time ended, and what a crash kept from the record
package office
