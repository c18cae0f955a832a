// Package folder knows how a journal lies on disk: writers' folders, segments,
// lines and locks. It reads; what writes, mends and judges stands in
// audit/journal, and audit/index follows along by what is here.
//
// Map:
//
//	folder.go  Writer, segments, the head of a writer, what settles it
//	lock.go    Lock: who numbers boots, who lives, who builds
//	scan.go    Line: lines with their places
//	find.go    Find: one event by its number
//	open.go    NoteOpen, OpenAt: what was open when a segment began
//	read.go    Cursor, Read, Ends, At: streaming and resuming
package folder
