// Package confine puts a child process out of reach of what is not its business:
// files, the network, other processes, privileges. It can also shield the
// gateway's own memory and environment from its children.
//
// A child is confined by a helper, which is the gateway's own binary: it takes
// everything off itself that the child shall not have and then becomes the child.
// It says through a pipe what is in force, or why it could not be, so that nobody
// believes in a confinement that is not there.
//
// On Linux this is Landlock (file system, signals, abstract sockets), seccomp or a
// network namespace, no_new_privs, a smaller capability bounding set and resource
// limits. Elsewhere nothing can be confined, and a child that must be is refused.
//
// Map:
//
//	spec.go           Spec, Limits: what a child may reach; Report: what is in force
//	helper.go         Wrap, Main, Await: from the gateway to the helper and back
//	roots.go          everything but some places, as a list of places
//	system.go         what every program needs of the system
//	apply_linux.go    everything in its order, then exec
//	landlock_linux.go the file system, signals and abstract sockets
//	network_linux.go  seccomp without sockets; a network namespace
//	shield_linux.go   Shield: the gateway's own memory and environment
//	other.go          where there is none of this
package confine
