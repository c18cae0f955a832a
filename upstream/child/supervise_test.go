package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mcp-gateway/gateway"
)

func TestBackoffDoublesToItsLimitWithJitter(t *testing.T) {
	low := Backoff{Rand: func() float64 { return 0 }}
	high := Backoff{Rand: func() float64 { return 0.999999 }}
	for n, full := range []time.Duration{1: 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute} {
		if n == 0 {
			continue
		}
		if l, h := low.After(n), high.After(n); l != full/2 || h < full*99/100 || h > full {
			t.Errorf("after %d: %v to %v, want %v to %v", n, l, h, full/2, full)
		}
	}
	if d := (Backoff{}).After(1 << 30); d > time.Minute || d < 30*time.Second {
		t.Errorf("after very many: %v", d)
	}
}

// supervisorFor returns a supervisor whose loop a test runs itself.
func supervisorFor(o Options) *Supervisor {
	o = o.withDefaults()
	return &Supervisor{opts: o, stderr: newStderr(&o)}
}

func TestLoopBacksOffAndCallsACrashLoopByItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		s := supervisorFor(Options{
			Backoff: Backoff{Rand: func() float64 { return 0 }},
			OnDown:  func(_ error, wait time.Duration) { waits = append(waits, wait) },
		})
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		s.loop(ctx, func(context.Context) error {
			runs++
			switch st := s.Status(); {
			case runs == 2 && st.Reason != ReasonExited, runs == 6 && st.Reason != ReasonCrashLoop:
				t.Errorf("run %d: status %+v", runs, st)
			case runs == 7: // this one lasts, which clears the count
				<-time.After(time.Minute)
			case runs == 8:
				cancel()
			}
			return gateway.Fail(gateway.CodeUnavailable, ReasonExited)
		})
		want := []time.Duration{250, 500, 1000, 2000, 4000, 8000, 250}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if !slices.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
	})
}

func TestAgainIsAtOnceButNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervisorFor(Options{Backoff: Backoff{Min: time.Hour, Max: time.Hour}})
		ctx, cancel := context.WithCancel(t.Context())
		began, runs := time.Now(), 0
		s.loop(ctx, func(context.Context) error {
			if runs++; runs == againLimit+2 {
				cancel()
			} else if time.Since(began) != 0 {
				t.Errorf("run %d waited", runs)
			}
			return fmt.Errorf("%w: on the probe", ErrAgain)
		})
		if time.Since(began) < 30*time.Minute || runs != againLimit+2 {
			t.Errorf("%d runs in %v", runs, time.Since(began))
		}
	})
}

func TestCloseDuringBackoffIsPrompt(t *testing.T) {
	down := make(chan struct{})
	o := playing("exit:1")
	o.Backoff = Backoff{Min: time.Hour, Max: time.Hour}
	o.OnDown = func(error, time.Duration) { close(down) }
	s := Supervise(o, func(_ context.Context, p *Process) error {
		return p.Messages(func([]byte, bool) bool { return true })
	})
	<-down
	if st := s.Status(); st.Reason != ReasonExited || st.PID != 0 || st.RetryAt.IsZero() || st.Failures != 1 {
		t.Errorf("%+v", st)
	}
	s.Close()
}

func TestCommandThatCannotStartShows(t *testing.T) {
	down := make(chan error, 1)
	o := Options{Command: []string{"/nonexistent/server"}, Backoff: Backoff{Min: time.Hour, Max: time.Hour}}
	o.OnDown = func(err error, _ time.Duration) { down <- err }
	s := Supervise(o, nil)
	defer s.Close()
	if err := <-down; ReasonOf(err) != ReasonStartFailed || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// settled waits until f holds.
func settled(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline:
			t.Errorf("%s: not so after 10 s", what)
			return
		case <-tick.C:
		}
	}
}

func TestNothingPilesUpOverManyProcesses(t *testing.T) {
	before, files := runtime.NumGoroutine(), openFiles(t)
	for range 50 {
		up := make(chan int, 1)
		s := Supervise(playing("print:{}\n"), func(_ context.Context, p *Process) error {
			return p.Messages(func([]byte, bool) bool { up <- p.PID(); return true })
		})
		pid := <-up
		s.Close()
		if !gone(pid) {
			t.Fatal("a child was left behind")
		}
	}
	settled(t, "goroutines flat", func() bool { return runtime.NumGoroutine() <= before+1 })
	settled(t, "descriptors flat", func() bool { return openFiles(t) <= files+1 })
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	return len(entries)
}
