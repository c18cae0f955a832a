//go:build unix && !linux

package child

import "syscall"

// groupAttr puts the child at the head of a process group of its own.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
