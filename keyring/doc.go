// Package keyring makes, keeps and uses the gateway's own keys: one sequence a
// purpose, made on first start, kept on rotation, and never handed out.
//
// Map:
//
//	ring.go    Purpose, Ring, Open, Rotate, Import: which keys there are
//	use.go     MAC, Seal, Open: what they are used for
//	sign.go    Sign, Public: receipts and checkpoints
//	files.go   the key files, safe against crashes and against a second process
package keyring
