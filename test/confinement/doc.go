// Package confinement starts hostile children behind a real gateway and has them
// try to reach what is the gateway's: its environment, memory, keys, journal,
// sockets. It prints what confinement was in force on this kernel.
//
// It is apart from the end-to-end tests because it shields this process for good.
package confinement
