package child

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"golang.org/x/time/rate"
)

const (
	stderrLine  = 4 << 10 // bytes kept of one line
	stderrRate  = 50      // lines a second that are kept
	stderrBurst = 500
	drainRate   = 4 << 20 // bytes a second that are read at all
	drainBurst  = 16 << 20
)

// Stderr keeps the last lines that a child wrote to stderr, cleaned. A flood
// costs little: beyond a rate lines are counted and not kept, and beyond a
// second one they are not even read, which slows the flooding child alone.
type Stderr struct {
	clean func(string) string
	on    func(string)
	keep  *rate.Limiter
	read  *rate.Limiter

	mu      sync.Mutex
	ring    []string
	next    int
	kept    int
	dropped int
}

func newStderr(o *Options) *Stderr {
	return &Stderr{
		clean: o.Clean, on: o.OnStderr,
		keep: rate.NewLimiter(stderrRate, stderrBurst),
		read: rate.NewLimiter(drainRate, drainBurst),
		ring: make([]string, 0, o.StderrLines),
	}
}

// Lines returns the lines kept, oldest first.
func (s *Stderr) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := make([]string, 0, len(s.ring))
	return append(append(lines, s.ring[s.next:]...), s.ring[:s.next]...)
}

// Counts returns how many lines were kept, the overwritten ones included, and
// how many were dropped by the rate cap.
func (s *Stderr) Counts() (kept, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept, s.dropped
}

// drain reads r to its end, a flood no faster than the read rate. Once alive is
// done it does not hold back: what is left are the last words, and few.
func (s *Stderr) drain(alive context.Context, r io.Reader) {
	lines := bufio.NewReaderSize(r, stderrLine)
	cut := false // inside a line of which the first part was taken
	for {
		part, err := lines.ReadSlice('\n')
		if len(part) > 0 && !cut {
			s.take(part)
		}
		cut = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !cut {
			return
		}
		_ = s.read.WaitN(alive, len(part))
	}
}

func (s *Stderr) take(part []byte) {
	if !s.keep.Allow() {
		s.mu.Lock()
		s.dropped++
		s.mu.Unlock()
		return
	}
	line := s.clean(string(trimEnd(part)))
	s.mu.Lock()
	s.kept++
	if len(s.ring) < cap(s.ring) {
		s.ring = append(s.ring, line)
	} else {
		s.ring[s.next] = line
		s.next = (s.next + 1) % len(s.ring)
	}
	s.mu.Unlock()
	if s.on != nil {
		s.on(line)
	}
}

// dropControls is the cleaning where none was given: no control characters and
// no invalid UTF-8 reach a terminal.
func dropControls(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
}
