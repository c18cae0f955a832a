// Package refresh keeps what is served in step with what upstreams list.
//
// An upstream's list is fetched at start, when its time to live is over, when
// the upstream says that it changed, when a call shows that ours is old, and
// before a destructive call. A list that cannot be fetched leaves the last one
// standing.
//
// Map:
//
//	refresher.go  Refresher: which upstreams are kept fresh; one fetch at a time
//	loop.go       one upstream: until when its list is good, and who had its place
//	record.go     what a refresh found, as facts kept and events written
//	upstream.go   what is different of the upstream itself
package refresh
