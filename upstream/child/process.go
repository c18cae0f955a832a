package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mcp-gateway/confine"
	"mcp-gateway/gateway"
)

// lastWords is how long the pipes of a child that ended are read at most.
const lastWords = time.Second

// Process is one running child. Messages must be read by one goroutine; every
// other method may be called from any.
type Process struct {
	opts   *Options
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	noise  *atomic.Int64 // lines that were no messages, counted over restarts
	word   *os.File      // what the helper says; nil without one

	confined confine.Report // set before start returns

	queue  chan *Frame
	exited chan struct{} // the child was reaped and its group is gone
	ending sync.Once
	broken atomic.Pointer[gateway.Error] // why we ended it, if we did
}

// Frame is one line on its way to the child.
type Frame struct {
	data  []byte
	taken atomic.Bool
}

// Withdraw takes the line back and reports whether that succeeded: true means
// that no byte of it reached the child or ever will.
func (f *Frame) Withdraw() bool { return f.taken.CompareAndSwap(false, true) }

// start runs the command of opts, which has its defaults.
func start(opts *Options, stderr *Stderr, noise *atomic.Int64) (*Process, error) {
	if len(opts.Command) == 0 {
		return nil, gateway.Because(gateway.CodeUnavailable, errors.New("no command"), ReasonStartFailed)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, gateway.Because(gateway.CodeUnavailable, err, ReasonStartFailed)
	}
	cmd, word, err := command(opts)
	if err != nil {
		closeAll(pipes[:])
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0], pipes[3], pipes[5]
	p := &Process{
		opts: opts, cmd: cmd, stdin: pipes[1], stdout: pipes[2], noise: noise,
		queue: make(chan *Frame, opts.Queue), exited: make(chan struct{}), word: word,
	}
	started := make(chan error)
	go p.run(pipes, started, stderr)
	if err := <-started; err != nil {
		closeAll(pipes[:])
		if errors.Is(err, confine.ErrRefused) {
			return nil, gateway.Because(gateway.CodeUnavailable, err, ReasonUnconfined)
		}
		return nil, gateway.Because(gateway.CodeUnavailable, err, ReasonStartFailed)
	}
	go p.write()
	return p, nil
}

// newPipes returns the read and write ends for stdin, stdout and stderr.
func newPipes() (pipes [6]*os.File, err error) {
	for i := 0; i < len(pipes); i += 2 {
		if pipes[i], pipes[i+1], err = os.Pipe(); err != nil {
			closeAll(pipes[:i])
			return pipes, err
		}
	}
	return pipes, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// run starts the command, reaps it and ends its group. It keeps its thread,
// for the kernel ties the death signal of the child to it; a thread would
// block in wait in any case.
func (p *Process) run(pipes [6]*os.File, started chan<- error, stderr *Stderr) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		p.unheard()
		started <- err
		return
	}
	closeAll([]*os.File{pipes[0], pipes[3], pipes[5]})
	if err := p.await(); err != nil {
		_ = p.signal(syscall.SIGKILL)
		_ = p.cmd.Wait()
		started <- err
		return
	}
	alive, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		defer func() { _ = pipes[4].Close() }()
		stderr.drain(alive, pipes[4])
	}()
	started <- nil

	_ = p.cmd.Wait()
	p.sweep()
	// What the child wrote before its end is still to be read; a descendant
	// that left the group and holds the pipes is not waited for.
	soon := time.Now().Add(lastWords)
	_ = p.stdout.SetReadDeadline(soon)
	_ = pipes[4].SetReadDeadline(soon)
	_ = p.stdin.Close()
	close(p.exited)
}

// Send queues one line, to which it appends the newline; data is the process's
// from then on and must hold no line break. A full queue is refused at once.
func (p *Process) Send(data []byte) (*Frame, error) {
	f := &Frame{data: append(data, '\n')}
	select {
	case <-p.exited:
		return nil, gateway.Fail(gateway.CodeUnavailable, ReasonExited)
	default:
	}
	select {
	case p.queue <- f:
		return f, nil
	default:
		return nil, gateway.Fail(gateway.CodeUnavailable, ReasonQueueFull)
	}
}

// write hands the queued lines to the child, one after the other. A line that
// the child does not take in time leaves half a line behind, so it ends the
// process.
func (p *Process) write() {
	for {
		select {
		case <-p.exited:
			return
		case f := <-p.queue:
			if !f.taken.CompareAndSwap(false, true) {
				continue
			}
			_ = p.stdin.SetWriteDeadline(time.Now().Add(p.opts.WriteTimeout))
			if _, err := p.stdin.Write(f.data); err != nil {
				p.fail(err)
				return
			}
		}
	}
}

// fail ends the process because its stdin failed.
func (p *Process) fail(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.broken.CompareAndSwap(nil, gateway.Because(gateway.CodeUnavailable, err, ReasonStuck))
	}
	p.Stop()
}

// Messages calls handle with each stdout line that may be a message, until the
// process ends or prints too much else; it returns why. handle reports whether
// the line was a message. A line beyond the cap comes with whole = false and
// holds only its two ends. handle may keep the line.
func (p *Process) Messages(handle func(line []byte, whole bool) bool) error {
	defer func() { _ = p.stdout.Close() }()
	frames := NewFramer(p.stdout, p.opts.LineLimit)
	lines, size := 0, 0
	for {
		line, err := frames.Next()
		var long *TooLongError
		switch {
		case errors.As(err, &long):
			handle(append(long.Head, long.Tail...), false)
			line = long.Head
		case errors.Is(err, ErrEndless):
			return gateway.Because(gateway.CodeUnavailable, err, ReasonEndless)
		case err != nil:
			return p.ended()
		case bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}) && handle(line, true):
			lines, size = 0, 0
			continue
		}
		p.noise.Add(1)
		lines, size = lines+1, size+len(line)
		if lines > p.opts.NoiseLines || size > p.opts.NoiseBytes {
			return gateway.Fail(gateway.CodeUnavailable, ReasonNoise)
		}
	}
}

// ended says why stdout came to its end. It waits for the exit state, which
// follows at once unless the child closed stdout and lives on; then it is told
// to end.
func (p *Process) ended() error {
	p.Stop()
	if why := p.broken.Load(); why != nil {
		return why
	}
	return gateway.Because(gateway.CodeUnavailable, &exit{p.cmd.ProcessState}, ReasonExited)
}

// exit is how a process ended.
type exit struct{ state *os.ProcessState }

func (e *exit) Error() string { return "process ended: " + e.state.String() }

// WordOf is ReasonOf in more detail, for operators: of a process that ended its exit
// code, "exit_3", or what killed it, "signal_9".
func WordOf(err error) gateway.Reason {
	var e *exit
	if !errors.As(err, &e) || ReasonOf(err) != ReasonExited || e.state == nil {
		return ReasonOf(err)
	}
	if s, ok := e.state.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return gateway.Reason(fmt.Sprintf("signal_%d", s.Signal()))
	}
	return gateway.Reason(fmt.Sprintf("exit_%d", e.state.ExitCode()))
}

// Exited is closed when the process was reaped and its group is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// PID returns the process id, which is also the id of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }
