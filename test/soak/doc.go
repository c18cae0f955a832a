// Package soak treats a gateway roughly for a long time, and holds that nothing of
// it is left behind: hosts of both eras call, leave in the middle, open sessions and
// end them; upstreams die under their calls; the configuration changes all the while.
// Once the hosts are gone the gateway has as many goroutines, descriptors and
// children as before, no zombie, and as much memory but for 2 percent, and so after
// twice as many calls.
//
// Each run does so for a few hundred calls; `make soak` for 10,000, after as many
// in which caches fill.
package soak
