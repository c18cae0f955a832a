// Package records opens what is on record, of a configuration's state or of a
// store of collected journals, and answers questions about it.
//
// Map:
//
//	records.go  Records: Open, OpenStore; who a pseudonym is; rows and counts
//	people.go   Narrow, People, Actor, Approver: whom a name means, and who did what
//	words.go    Words: what neither the configuration nor any event knows
//	reasons.go  the reasons that there may be, also what rules only noted
//	named.go    NamedBy: by which audit keys replicas name principals
//	item.go     Item, Ledger: what a call was of, and what the ledger holds of it
//	read.go     Read, Admits, SQL: events one by one, and questions in SQL
//	export.go   Export: events in the forms that other systems read
//	story.go    Story: all that is on record of one action
//	contains.go Contains: whether a value is in an event
package records
