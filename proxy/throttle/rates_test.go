package throttle

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

var noon = time.Unix(1_800_000_000, 0)

func meter(t testing.TB) *Meter {
	t.Helper()
	m, err := NewMeter()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func per(n int, d time.Duration) Rate { return Rate{N: n, Per: d} }

// refusedFor holds why a call is refused and when it may come back.
func refusedFor(t *testing.T, e *gateway.Error, reason gateway.Reason, wait time.Duration) {
	t.Helper()
	if e == nil || e.Code != gateway.CodeRateLimited || !slices.Equal(e.Reasons, []gateway.Reason{reason}) ||
		(e.RetryAfter-wait).Abs() > time.Millisecond {
		t.Errorf("%+v, want %s after %s", e, reason, wait)
	}
}

func TestTake(t *testing.T) {
	m := meter(t)
	alice := Count{Kind: Requests, Principal: "alice", Rate: per(3, time.Minute)}
	for range 3 {
		if e := m.Take(noon, alice); e != nil {
			t.Fatal(e)
		}
	}
	refusedFor(t, m.Take(noon, alice), gateway.ReasonPrincipalRate, 20*time.Second)
	if e := m.Take(noon, Count{Kind: Requests, Principal: "bob", Rate: alice.Rate}); e != nil {
		t.Errorf("another principal: %v", e)
	}
	if e := m.Take(noon.Add(20*time.Second), alice); e != nil {
		t.Errorf("when it was told to come back: %v", e)
	}
	if e := m.Take(noon, Count{Kind: Requests, Principal: "alice"}); e != nil {
		t.Errorf("without a limit: %v", e)
	}
}

// TestAllOrNone holds that a call that is refused in one place counts in none.
func TestAllOrNone(t *testing.T) {
	m := meter(t)
	tool := Count{Kind: Calls, Principal: "alice", Of: "up/t", Rate: per(2, time.Hour)}
	quota := Count{Kind: DestructiveCalls, Principal: "alice", Rate: per(1, time.Hour)}
	if e := m.Take(noon, tool, quota); e != nil {
		t.Fatal(e)
	}
	for range 5 {
		refusedFor(t, m.Take(noon, tool, quota), gateway.ReasonDestructiveQuota, time.Hour)
	}
	if e := m.Take(noon, tool); e != nil {
		t.Errorf("refused calls counted: %v", e)
	}
	refusedFor(t, m.Take(noon, tool), gateway.ReasonToolRate, 30*time.Minute)
}

// TestBytes holds that results are paid for once their size is known.
func TestBytes(t *testing.T) {
	m := meter(t)
	budget := Count{Kind: ResultBytes, Principal: "alice", Rate: per(1000, time.Minute)}
	if e := m.Take(noon, budget); e != nil {
		t.Fatal(e)
	}
	m.Spend(noon, budget, 999)
	if e := m.Take(noon, budget); e != nil {
		t.Errorf("with one byte left: %v", e)
	}
	m.Spend(noon, budget, 2500)
	refusedFor(t, m.Take(noon, budget), gateway.ReasonResultBudget, 150*time.Second)
	if e := m.Take(noon.Add(151*time.Second), budget); e != nil {
		t.Errorf("when it is paid off: %v", e)
	}
}

// TestReloaded holds that another rate takes effect at once, for better or worse.
func TestReloaded(t *testing.T) {
	m := meter(t)
	c := Count{Kind: Calls, Principal: "alice", Of: "t", Rate: per(1, time.Hour)}
	if e := m.Take(noon, c); e != nil {
		t.Fatal(e)
	}
	refusedFor(t, m.Take(noon, c), gateway.ReasonToolRate, time.Hour)
	c.Rate = per(60, time.Minute)
	refusedFor(t, m.Take(noon, c), gateway.ReasonToolRate, time.Second)
}

func TestPlacesAreApart(t *testing.T) {
	m := meter(t)
	seen := map[bucketKey]Count{}
	for _, kind := range []Kind{Requests, Calls, UpstreamCalls} {
		for _, pair := range [][2]string{{"", ""}, {"a", ""}, {"", "a"}, {"ab", "c"}, {"a", "bc"}} {
			c := Count{Kind: kind, Principal: pair[0], Of: pair[1], Rate: per(1, time.Hour)}
			if before, has := seen[c.key()]; has {
				t.Errorf("%+v is counted with %+v", c, before)
			}
			seen[c.key()] = c
			if e := m.Take(noon, c); e != nil {
				t.Errorf("%+v: %v", c, e)
			}
		}
	}
}

// TestManyPrincipals holds what is kept of 100,000 principals.
func TestManyPrincipals(t *testing.T) {
	m := meter(t)
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	for i := range 100_000 {
		c := Count{Kind: Requests, Principal: fmt.Sprintf("https://issuer.example|subject-%d|tenant|client|", i), Rate: per(10, time.Minute)}
		if e := m.Take(noon, c); e != nil {
			t.Fatal(e)
		}
	}
	grown := heap() - before
	if m.buckets.Len() != kept || grown > 40<<20 {
		t.Errorf("%d buckets, %d MiB", m.buckets.Len(), grown>>20)
	}
	last := Count{Kind: Requests, Principal: "https://issuer.example|subject-99999|tenant|client|", Rate: per(10, time.Minute)}
	for range 9 {
		if e := m.Take(noon, last); e != nil {
			t.Fatal(e)
		}
	}
	if m.Take(noon, last) == nil {
		t.Error("one who came last is forgotten")
	}
}

func BenchmarkTake(b *testing.B) {
	m := meter(b)
	c := Count{Kind: Requests, Principal: "https://issuer.example|subject|tenant|client|", Rate: per(1<<30, time.Second)}
	now := noon
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		if e := m.Take(now, c); e != nil {
			b.Fatal(e)
		}
	}
}
