// Package journal makes audit events durable: append-only segments, one event a
// line, each chained to the one before by the SHA-256 of its line.
//
// A writer is one opening of the journal, named by replica and boot. It has its
// own folder, its own file lock and its own chain, so that several processes
// may share one state directory:
//
//	journal/
//	  lock                     held while a boot number is taken and dead writers are closed
//	  <replica>-<boot>/
//	    lock                   held as long as the writer lives
//	    000001.jsonl …         segments; the sequence goes on from one to the next
//	    open                   what was open when the newest segment began
//	    settled                made once nothing of a dead writer is left open
//	    checkpoints            signed heads, one after another
//
// The first event of a writer is gateway.started, which is chained to the head
// of the replica's boot before; so the boots of a replica form one chain too.
//
// Map:
//
//	journal.go   Journal: Options, Open, Append, Close
//	commit.go    the two goroutines behind Append: one writes, one syncs
//	recover.go   what happens when a write or a sync fails, and rotation
//	open.go      what is open, noted with each new segment
//	orphan.go    closing what dead writers left open
//	fate.go      FateOf: what is on record of one action
//	seal.go      Seal: signed checkpoints, and their way to a second place
//
// Below it stand audit/journal/folder, which knows how a journal lies on disk, and
// audit/journal/verify, which proves it whole; audit/journal/collect brings several
// together.
package journal
