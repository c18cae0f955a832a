// Package listen tells hosts what changes: that a list became another one in
// what they see of it, and that a resource was updated which they wanted to be
// told about and still may read.
//
// Everybody who listens looks by himself, as who he is by now: when another
// snapshot is served, when the settings are replaced, when an upstream tells of a
// resource, and once a minute. So what is hidden from a principal is never heard
// of, and a principal that is known no more hears nothing.
//
// Map:
//
//	listener.go  Listener: what all share; how things stand for one principal
//	filter.go    what a host asks for and what is agreed to
//	request.go   subscriptions/listen of modern hosts
//	session.go   sessions of legacy hosts: Follower, resources/subscribe and unsubscribe
//	interest.go  one who listens: looks, tells, rests
//	prints.go    digests of what a principal sees of each kind
//	feeds.go     what upstreams tell of resources, shared by all who want it
package listen
