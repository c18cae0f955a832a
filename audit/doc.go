// Package audit says what one audit event is: a flat, versioned, allow-listed
// record of who asked for what, what was decided, why, and what became of it,
// in which there is no room for an argument, a result, a credential or a text
// that an upstream wrote.
//
// An event is one line of JSON with its members in the order of one table.
// Every string in it is a word of our own vocabulary, an identifier of a fixed
// shape, a digest or a keyed digest; a value that does not have its shape is
// written as the word "invalid", whoever set it.
//
// Map:
//
//	event.go    Event: every field there is
//	words.go    Type, Stage, Ident, Label, Keyed …: the words an event is made of, and their shapes
//	id.go       ID (UUIDv7), Hash, Trace
//	fields.go   the table of fields: the allow-list, in the order in which they are written
//	codec.go    AppendJSON and Decode, driven by the table
//	limit.go    how long decided and finished events may be, and what gives way
//	kinds.go    how each kind of field is written and read back
//	keys.go     Keys: pseudonyms and keyed digests of values that must not be written
//	match.go    Contains: whether a value stands in an event as a keyed digest
//	query.go    Position, Durability, Filter, Row: what journal and index exchange with their callers
//
// Below it stand audit/journal, which makes events durable and chains them, and
// audit/index, which answers questions about them, audit/shape, which says what
// strings may look like, and audit/published, which
// describes the event for others.
package audit
