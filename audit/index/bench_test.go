package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/journal"
)

// crowd writes n calls (two events each) of 200 principals over 300 tools, one
// of 20 refused.
func crowd(b *testing.B, w *world, n int) int {
	j, err := journal.Open(w.journalDir(), journal.Options{Replica: "r1"})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	events := 0
	for i := range n {
		who := audit.Keyed(fmt.Sprintf("k1:%032x", random.IntN(200)))
		tool := audit.Ident(fmt.Sprintf("upstream%d__tool%d", random.IntN(10), random.IntN(30)))
		list := []*audit.Event{refuse(who, tool)}
		if i%20 != 0 {
			e := call(who, tool)
			e.Action = audit.NewID(time.Now())
			list = []*audit.Event{e, finish(e, "")}
		}
		list[0].Action = audit.NewID(time.Now())
		if len(list) == 2 {
			list[1].Action = list[0].Action
		}
		for _, e := range list {
			if _, err := j.Append(context.Background(), e, audit.Process); err != nil {
				b.Fatal(err)
			}
			events++
		}
	}
	if err := j.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	return events
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBuild builds an index over 20,000 calls in each round, and prints CPU
// and bytes per event.
func BenchmarkBuild(b *testing.B) {
	w := newWorld(b)
	events := crowd(b, w, 20_000)
	b.ReportAllocs()
	var used time.Duration
	var size int64
	for b.Loop() {
		b.StopTimer()
		fresh := *w
		fresh.dir = b.TempDir()
		x, err := Open(fresh.dir+"/index.db", w.journalDir())
		if err != nil {
			b.Fatal(err)
		}
		before := cpu(b)
		b.StartTimer()
		if err := x.CatchUp(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		used += cpu(b) - before
		if _, err := x.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			b.Fatal(err)
		}
		if size, err = x.Size(); err != nil {
			b.Fatal(err)
		}
		x.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(used.Microseconds())/float64(b.N*events), "cpu-µs/event")
	b.ReportMetric(float64(size)/float64(events), "bytes/event")
}

func BenchmarkLast100OfPrincipal(b *testing.B) {
	w := newWorld(b)
	crowd(b, w, 20_000)
	x := w.index()
	f := audit.Filter{Principal: audit.Keyed(fmt.Sprintf("k1:%032x", 7))}
	if rows := query(b, x, f); len(rows) != 100 {
		b.Fatalf("%d rows", len(rows))
	}
	b.ReportAllocs()
	for b.Loop() {
		query(b, x, f)
	}
}
