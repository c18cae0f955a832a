// Package web speaks to one upstream over HTTP, of whichever revision: it finds
// out which, keeps account of whether it is within reach, and sends each request
// the way that suits.
//
// Map:
//
//	link.go    Link, Options: the upstream, its state, one exchange
//	probe.go   server/discover, else initialize, else the stream of 2024-11-05
//	modern.go  2026-07-28 and later: one POST per exchange
//	pool.go    2025-03-26 to 2025-11-25: a session for each principal in whose right it is called
package web
