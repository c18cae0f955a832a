package child

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"mcp-gateway/confine"
	"mcp-gateway/gateway"
)

// ErrAgain in the chain of a session's error asks for a fresh process at once.
// It is honoured twice in a row, so that it cannot make a busy loop.
var ErrAgain = errors.New("start again at once")

const againLimit = 2

// Session talks to one process until one of them has enough. The process is
// stopped when it returns, and when the supervisor is closed, which also ends
// ctx.
type Session func(ctx context.Context, p *Process) error

// Supervisor keeps one child running. Close it.
type Supervisor struct {
	opts    Options
	session Session
	stderr  *Stderr
	noise   atomic.Int64
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	status Status
}

// Status is what an operator may want to know about a child.
type Status struct {
	PID           int            // 0 while none runs
	Confined      confine.Report // what the last process was kept from
	Reason        gateway.Reason // why the last process failed; crash_loop after several in a row; empty if none did
	Failures      int            // in a row
	Starts        int            // processes started so far
	RetryAt       time.Time      // of the next start, while none runs
	NoiseLines    int64          // stdout lines that were no messages
	StderrKept    int
	StderrDropped int
}

// Supervise starts the command of opts and keeps it running until Close. It
// returns at once; a command that cannot be started shows in Status and OnDown.
func Supervise(opts Options, session Session) *Supervisor {
	s := &Supervisor{opts: opts.withDefaults(), session: session, done: make(chan struct{})}
	s.stderr = newStderr(&s.opts)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		defer close(s.done)
		s.loop(ctx, s.once)
	}()
	return s
}

// loop runs once again and again, with back-off after failures.
func (s *Supervisor) loop(ctx context.Context, once func(context.Context) error) {
	for failures, again := 0, 0; ctx.Err() == nil; {
		began := time.Now()
		err := once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= s.opts.Steady {
			failures, again = 0, 0
		}
		if errors.Is(err, ErrAgain) && again < againLimit {
			again++
			continue
		}
		again, failures = 0, failures+1
		if !s.rest(ctx, err, failures) {
			return
		}
	}
}

// rest waits after the n-th failure in a row; false means closed meanwhile.
func (s *Supervisor) rest(ctx context.Context, err error, failures int) bool {
	wait := s.opts.Backoff.After(failures)
	reason := ReasonOf(err)
	if failures >= s.opts.CrashLoop {
		reason = ReasonCrashLoop
	}
	s.mu.Lock()
	s.status.Reason, s.status.Failures, s.status.RetryAt = reason, failures, time.Now().Add(wait)
	s.mu.Unlock()
	if s.opts.OnDown != nil {
		s.opts.OnDown(err, wait)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// once runs one process for one session.
func (s *Supervisor) once(ctx context.Context) error {
	if s.opts.Allow != nil {
		if err := s.opts.Allow(); err != nil {
			return err
		}
	}
	p, err := start(&s.opts, s.stderr, &s.noise)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.status.PID, s.status.RetryAt, s.status.Confined = p.PID(), time.Time{}, p.Confined()
	s.status.Starts++
	s.mu.Unlock()
	stopped := context.AfterFunc(ctx, p.Stop)
	defer func() {
		stopped()
		p.Stop()
		s.mu.Lock()
		s.status.PID = 0
		s.mu.Unlock()
	}()
	return s.session(ctx, p)
}

// Status returns the present state.
func (s *Supervisor) Status() Status {
	s.mu.Lock()
	st := s.status
	s.mu.Unlock()
	st.NoiseLines = s.noise.Load()
	st.StderrKept, st.StderrDropped = s.stderr.Counts()
	return st
}

// Stderr returns the last lines that the child wrote to stderr, cleaned.
func (s *Supervisor) Stderr() []string { return s.stderr.Lines() }

// Close ends the child with its group, within the grace, and returns then.
func (s *Supervisor) Close() {
	s.cancel()
	<-s.done
}

// ReasonOf returns the first reason of a gateway error, or "" without one.
func ReasonOf(err error) gateway.Reason {
	var e *gateway.Error
	if errors.As(err, &e) && len(e.Reasons) > 0 {
		return e.Reasons[0]
	}
	return ""
}
