// Package child supervises one stdio process: it starts it with an explicit
// environment in a process group of its own, frames what it prints, sends it
// lines, restarts it with back-off when it ends, and leaves no process behind.
//
// It knows nothing of MCP: what a line means is the business of the session
// function that Supervise is given.
//
// Map:
//
//	options.go     Options: what to run, and every bound; the reasons for a failure
//	process.go     Process: one running child; lines in, lines out
//	confined.go    the way through the helper that confines, where that is wanted
//	stop.go        the orderly end: stdin closed, SIGTERM, SIGKILL, for the whole group
//	sys_linux.go   the process group, and death with the gateway, on Linux
//	sys_unix.go    the process group elsewhere
//	framer.go      Framer: a byte stream cut into lines of bounded length
//	stderr.go      Stderr: a bounded, rate-capped, cleaned record of stderr
//	supervise.go   Supervisor: start, session, back-off, again
//	backoff.go     Backoff: how long to wait after the n-th failure
package child
