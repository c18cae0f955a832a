package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mcp-gateway/audit"
)

// loneFsyncs is how many events are written and synced one by one, for comparison.
const loneFsyncs = 200

// BenchmarkDisk prints how many events one fsync makes durable while so many writers
// wait, as a number and as a share of those who wait, and how many times more events a
// second that is than writing and syncing one by one, measured just before on the same
// disk. An operation is one event of each who waits.
func BenchmarkDisk(b *testing.B) {
	for _, waiters := range []int{1, 64, 1000} {
		b.Run(fmt.Sprint(waiters), func(b *testing.B) {
			d := &disk{room: -1}
			j := open(b, b.TempDir(), Options{create: d.create})
			lone := one(b)
			syncs := d.syncs.Load()
			b.ResetTimer()
			var wg sync.WaitGroup
			for range waiters {
				wg.Go(func() { appendAll(b, j, b.N) })
			}
			wg.Wait()
			b.StopTimer()
			events := float64(b.N * waiters)
			served := events / float64(d.syncs.Load()-syncs)
			each := float64(b.Elapsed()) / events
			b.ReportMetric(served, "events/fsync")
			b.ReportMetric(served/float64(waiters), "of-waiting/fsync")
			b.ReportMetric(float64(lone)/each, "x-lone-fsync")
		})
	}
}

// one returns how long it takes to write and sync one event after the other.
func one(b *testing.B) time.Duration {
	f, err := os.Create(filepath.Join(b.TempDir(), "lone"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close() // what was written is thrown away
	line := append(audit.AppendJSON(nil, full()), '\n')
	began := time.Now()
	for range loneFsyncs {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began) / loneFsyncs
}

func appendAll(b *testing.B, j *Journal, n int) {
	e := full()
	for range n {
		if _, err := j.Append(context.Background(), e, audit.Disk); err != nil {
			b.Error(err)
			return
		}
	}
}
