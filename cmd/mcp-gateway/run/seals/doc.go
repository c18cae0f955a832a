// Package seals knows who signs the journal's checkpoints and where else they go.
//
// Map:
//
//	seals.go  Hand, Exporters, Keys, OrKeys
package seals
