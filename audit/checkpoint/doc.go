// Package checkpoint makes and reads signed statements about the head of a
// journal, so that whoever keeps them elsewhere can tell whether the journal was
// written anew or cut.
//
// A checkpoint is a signed note: five lines of text, an empty line, and a line
// with an Ed25519 signature. It says: this writer's event of this number had this
// hash, and so the whole chain before it stands.
//
//	mcp-gateway/journal
//	gw-1/17
//	4000
//	q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=
//	2026-09-01T00:00:00.000000000Z
//
//	— mcp-gateway/journal 3q2+7wAAAA…
//
// One with a sixth line, "removed", says besides that the events up to that number
// were removed by the gateway itself, as its retention says: the chain then begins
// behind it.
//
// Map:
//
//	checkpoint.go  Checkpoint, Sign, Keys, Open: the note and its signature
//	key.go         VerifierKey, ParseKey: keys as text, for those who verify elsewhere
//	file.go        Append, Read: checkpoints one after another in a file
//	export.go      File, HTTP: the second place
package checkpoint
