// Package corpus puts definitions of real servers through a whole gateway: a
// process replays each server's tools/list, every definition is approved as it
// was observed, and what a host is listed must be the definition as it was sent
// but for edits that are named and counted here. What is not listed must be
// withheld with a reason.
//
// The definitions of testdata/own.json are of our own making and say each what
// must come of it, to the byte. Those of other people's servers are read from
// beside the repository, where they are.
package corpus
