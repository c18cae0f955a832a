package journal

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// full is a decided event of usual size.
func full() *audit.Event {
	const hex = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	return &audit.Event{
		Type: audit.ToolDecided, Action: audit.NewID(time.Now()), Trace: audit.Trace{1}, Request: "17",
		Principal: audit.Keyed("a1b2c3d4:" + hex[:32]), Tenant: "platform", Client: "ci", Method: "tools/call",
		Transport: audit.HTTP, Era: audit.Modern, Revision: "2026-07-28", UpstreamEra: audit.Modern,
		UpstreamRevision: "2026-07-28", Upstream: "incident", Tool: "incident__get_service_status",
		Definition: "sha256-jcs1:" + hex, State: gateway.StateApproved, Policy: "sha256:" + hex,
		Effect: gateway.Allow, Reasons: []gateway.Reason{"scopes_held"}, Args: "a1b2c3d4:" + hex, ArgsBytes: 120,
		Stages: audit.Stages{3, 12, 1, 25, 2, 130, 18, 0, 2, 145, 0, 3},
	}
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		class   audit.Durability
		waiters int
	}{{audit.Process, 1}, {audit.Process, 64}, {audit.Disk, 1}, {audit.Disk, 64}, {audit.Disk, 1000}} {
		b.Run(fmt.Sprintf("%s/%d", c.class, c.waiters), func(b *testing.B) {
			d := &disk{room: -1}
			j := open(b, b.TempDir(), Options{create: d.create})
			b.ReportAllocs()
			syncs, used := d.syncs.Load(), cpu(b)
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range c.waiters {
				n := b.N / c.waiters
				if w < b.N%c.waiters {
					n++
				}
				wg.Go(func() {
					e := full()
					for range n {
						if _, err := j.Append(context.Background(), e, c.class); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			b.ReportMetric(float64((cpu(b)-used).Nanoseconds())/float64(b.N), "cpu-ns/op")
			if n := d.syncs.Load() - syncs; n > 0 {
				b.ReportMetric(float64(b.N)/float64(n), "events/fsync")
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	dir := b.TempDir()
	j := open(b, dir, Options{})
	for range 10_000 {
		mustAppend(b, j, full(), audit.Process)
	}
	b.ResetTimer()
	for b.Loop() {
		if _, err := Verify(dir); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}
