package child

import "syscall"

// groupAttr puts the child at the head of a process group of its own, and has
// the kernel kill it should the gateway die without a word. That signal fires
// when the forking thread ends: see Process.run.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
