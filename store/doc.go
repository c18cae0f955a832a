// Package store keeps what must outlive a process in one SQLite database,
// state.db, behind interfaces that the rooms declare.
//
// Several processes may open the same file; writes are short transactions that
// wait for each other. Nothing is written to a file before it is known to be
// ours, whole and of a version that this program knows.
//
// Map:
//
//	store.go    Store: open, check, close
//	migrate.go  the versions of the database, forward only
//	profile.go  what each upstream was when it was last put on record
//	history.go  registry.History: definitions ever seen, facts about upstreams
//	commit.go   changes of many callers in one commit
//	ledger.go   receipt.Ledger: actions, their keys, receipts
//	handles.go  handle.Store: whose handles are
//	tickets/    approval.Tickets: questions to people, and their answers
//	failure.go  ErrCorrupt, ErrNewer, ErrForeign: what a file can suffer from
package store
