// Package whois says what an upstream is: its command, its files, its host and who
// vouches for it, what it declares.
//
// Map:
//
//	whois.go   Registrar: of what is in force, and what may be started; Of, Launch, Files
//	recall.go  Met, Put, Listed: a list of the past, with who gave it
package whois
