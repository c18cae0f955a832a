package child

import (
	"syscall"
	"time"
)

const pollGroup = 5 * time.Millisecond

// Stop ends the process and every process of its group, and returns when they
// are gone: stdin is closed, half the grace later the group gets SIGTERM, and
// at the end of the grace SIGKILL. Stopping again waits for the same end.
func (p *Process) Stop() {
	p.ending.Do(func() {
		_ = p.stdin.Close()
		if p.gone(p.opts.Grace / 2) {
			return
		}
		p.signal(syscall.SIGTERM)
		if p.gone(p.opts.Grace / 2) {
			return
		}
		p.signal(syscall.SIGKILL)
	})
	<-p.exited
}

// gone waits at most d for the end of the process and its group.
func (p *Process) gone(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// sweep ends what the process left behind in its group when it ended: servers
// are often started by a wrapper, such as a package runner or a shell.
func (p *Process) sweep() {
	if p.signal(syscall.SIGTERM) != nil {
		return // no such group any more
	}
	ticker := time.NewTicker(pollGroup)
	defer ticker.Stop()
	for end := time.Now().Add(p.opts.Grace / 2); time.Now().Before(end); <-ticker.C {
		if p.signal(0) != nil {
			return
		}
	}
	_ = p.signal(syscall.SIGKILL)
}

// signal sends to the whole group. An error means that nobody is left in it.
func (p *Process) signal(s syscall.Signal) error { return syscall.Kill(-p.PID(), s) }
