// Package index answers questions about audit events. It is an SQLite file built
// behind the journal, never on a call's path, and may be deleted at any time: it
// is built again from the journal.
//
// One process at a time builds it, elected by a file lock; every process may
// ask. A query first waits until the index holds all that stood in the journal
// when it was asked.
//
// Map:
//
//	index.go    Index: Open, Run, CatchUp, Close; the election
//	build.go    one pass over the journal, in batches
//	row.go      an event becomes a row, or the end of one
//	query.go    Filter to SQL and rows to audit.Row
//	page.go     Page: the same, a page at a time
//	group.go    Count: how many rows have the same values
//	sql.go      SQL: questions over the documented view, reading only
//	schema.sql  the tables
//	file/       the file itself
//	cell/       what of an event stands in a row
//	compare/    what the index holds, against the journal
//	question/   what is asked in SQL, reading only
package index
