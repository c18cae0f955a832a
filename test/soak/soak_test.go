package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak is the long run.
func TestSoak(t *testing.T) {
	if !*long {
		t.Log("not run: make soak")
		return
	}
	soak(t, 10_000, 10_000, 2)
}

// TestShortSoak is the same, short enough for every run. What fills up once,
// such as caches, may not have filled up before, so memory is not judged.
func TestShortSoak(t *testing.T) { soak(t, 200, 400, 1) }

// hosts is how many call at once.
const hosts = 16

// soak treats a gateway roughly once before its base is taken and in some spells
// after: what grows with each call has grown twice as much after the second.
func soak(t *testing.T, before, calls, spells int) {
	if runtime.GOOS != "linux" {
		t.Log("not run: what a process holds is read from /proc")
		return
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	g := start(t)
	g.treat(t, &figures{}, seed, before) // until caches are as full as they come to be
	base := g.rest(t, holding{})
	t.Logf("at rest after %d calls: %+v", before, base)
	var growth []string
	for n := range spells {
		var f figures
		g.treat(t, &f, seed+1+uint64(n), calls)
		after := g.rest(t, base)
		t.Logf("%d calls: %d answered, %d refused or failed, %d left by their hosts; %d upstreams died, %d reloads",
			calls, f.answered.Load(), f.refused.Load(), f.left.Load(), f.deaths.Load(), f.reloads.Load())
		t.Logf("at rest: %+v", after)
		f.plausible(t, int64(calls))
		if after.Goroutines > base.Goroutines || after.Descriptors > base.Descriptors || after.Children != base.Children || after.Zombies != 0 {
			t.Errorf("something is left behind:\n%s", g.stacks(t))
		}
		by := 100 * (float64(after.RSS)/float64(base.RSS) - 1)
		if growth = append(growth, fmt.Sprintf("%+.1f %%", by)); calls >= 10_000 && by > 2 {
			t.Errorf("memory grew by %.1f %%", by)
		}
	}
	if !t.Failed() {
		t.Logf("soak: after each %d calls RSS %s of the base, nothing left behind", calls, strings.Join(growth, ", "))
	}
}

// figures count what happened.
type figures struct{ answered, refused, left, deaths, reloads atomic.Int64 }

// plausible holds that the treatment was as rough as it claims to be.
func (f *figures) plausible(t *testing.T, calls int64) {
	t.Helper()
	if n := f.answered.Load(); n < calls/4 {
		t.Errorf("only %d of %d calls were answered", n, calls)
	}
	if n := f.left.Load(); n < calls/10 {
		t.Errorf("only %d of %d calls were left", n, calls)
	}
	if n := f.deaths.Load(); n < calls/50 {
		t.Errorf("upstreams died only %d times under %d calls", n, calls)
	}
	if f.reloads.Load() == 0 {
		t.Error("the configuration never changed")
	}
}

// treat lets hosts call, so many times in all.
func (g *subject) treat(t *testing.T, f *figures, seed uint64, calls int) {
	var next atomic.Int64
	var work sync.WaitGroup
	for i := range hosts {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		work.Go(func() {
			for n := next.Add(1); n <= int64(calls); n = next.Add(1) {
				if n%200 == 0 {
					g.reload(t, int(n/200))
					f.reloads.Add(1)
				}
				g.rough(t.Context(), f, random)
			}
		})
	}
	work.Wait()
}

// rough makes one call, in one of the ways in which hosts and upstreams misbehave.
func (g *subject) rough(ctx context.Context, f *figures, random *rand.Rand) {
	switch n := random.IntN(100); {
	case n < 20: // the host leaves in the middle
		ctx, leave := context.WithTimeout(ctx, time.Duration(1+random.IntN(10))*time.Millisecond)
		defer leave()
		if _, err := g.host.Calling("peer__slow", `{}`).Do(ctx); err != nil {
			f.left.Add(1)
			return
		}
		f.answered.Add(1)
	case n < 23: // the upstream's connection dies under the call
		f.deaths.Add(1)
		g.count(f, g.call(ctx, "peer__die"))
	case n < 25: // the upstream's process dies
		if g.kill(random) {
			f.deaths.Add(1)
		}
		g.count(f, g.call(ctx, fmt.Sprintf("desk%d__get_service_status", random.IntN(desks))))
	case n < 40:
		g.count(f, g.session(ctx, random))
	case n < 50:
		reply, err := g.host.Ask("tools/list", "").Do(ctx)
		g.count(f, err == nil && reply.Result != nil)
	case n < 70:
		g.count(f, g.call(ctx, fmt.Sprintf("desk%d__get_service_status", random.IntN(desks))))
	default:
		g.count(f, g.call(ctx, "peer__quick"))
	}
}

func (g *subject) count(f *figures, answered bool) {
	if answered {
		f.answered.Add(1)
		return
	}
	f.refused.Add(1)
}
