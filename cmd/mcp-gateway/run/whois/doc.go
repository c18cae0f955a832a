// Package whois says what an upstream is: its command, its files, its host and who
// vouches for it, what it declares.
//
// Map:
//
//	whois.go   Registrar: of what is in force, and what may be started; Of, Launch, Files
//	reach.go   Reach, Witness: what may be reached over HTTP, and who vouches for it
//	recall.go  Recall, Last, Told, Reviewed, Met, Put, Listed: what was seen in the past
package whois
