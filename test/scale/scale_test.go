package scale

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/index"
)

var (
	full   = flag.Bool("scale", false, "measure with one and with ten million events")
	folder = flag.String("dir", "", "work in this `directory`, which some 10 GB are written to, instead of a temporary one")
)

// newest is how many events are asked for.
const newest = 100

// Of the goals: the last events of a principal among ten times as many take three times
// as long at most, an event 400 bytes and 120 µs.
const (
	mostRatio = 3.0
	mostBytes = 400.0
	mostCPU   = 120.0
)

// grown is an index over so many events.
type grown struct {
	events     int
	index      *index.Index
	bytes, cpu float64 // of an event; CPU in µs
	wall, used []float64
}

func TestScale(t *testing.T) {
	sizes, people, rounds := []int{500, 2000}, 10, 20
	if *full {
		sizes, people, rounds = []int{1_000_000, 10_000_000}, 1000, 200
	}
	var all []*grown
	for _, n := range sizes {
		g := grow(t, n, people)
		t.Logf("scale: %d events: %.1f bytes and %.1f µs of CPU an event", g.events, g.bytes, g.cpu)
		all = append(all, g)
	}
	for i := range rounds {
		for _, g := range all {
			g.ask(t, principal(i*7%people))
		}
	}
	for _, g := range all {
		t.Logf("scale: %d events: the last %d of a principal take %.2f ms, %.2f ms of CPU (medians of %d)", g.events, newest, median(g.wall), median(g.used), rounds)
	}
	small, large := all[0], all[1]
	wall, used := median(large.wall)/median(small.wall), median(large.used)/median(small.used)
	t.Logf("scale: %d events ÷ %d: %.2f by time, %.2f by CPU (goal %.0f); bytes/event %.1f (goal %.0f); index CPU µs/event %.1f (goal %.0f)",
		large.events, small.events, wall, used, mostRatio, large.bytes, mostBytes, large.cpu, mostCPU)
	if *full && (used > mostRatio || large.bytes > mostBytes || large.cpu > mostCPU) {
		t.Error("a goal is missed")
	}
}

// grow writes a journal of n events of so many people and builds its index.
func grow(t *testing.T, n, people int) *grown {
	t.Helper()
	dir, err := os.MkdirTemp(*folder, "scale-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	write(t, dir, n, people)
	g := &grown{events: n}
	g.open(t, dir)
	before := cpu(t)
	if err := g.index.CatchUp(context.Background()); err != nil {
		t.Fatal(err)
	}
	g.cpu = (cpu(t) - before) * 1000 / float64(n)
	if err := g.index.Close(); err != nil { // what was written ahead goes to its place
		t.Fatal(err)
	}
	g.open(t, dir)
	size, err := g.index.Size()
	if err != nil {
		t.Fatal(err)
	}
	g.bytes = float64(size) / float64(n)
	x := g.index
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *grown) open(t *testing.T, dir string) {
	t.Helper()
	x, err := index.Open(filepath.Join(dir, "index.db"), filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	g.index = x
}

// ask asks for the newest events of one principal, those who ask often and seldom by
// turns.
func (g *grown) ask(t *testing.T, who audit.Keyed) {
	t.Helper()
	before, began := cpu(t), time.Now()
	rows, err := g.index.Query(context.Background(), audit.Filter{Principal: who, Limit: newest})
	g.wall = append(g.wall, float64(time.Since(began))/float64(time.Millisecond))
	g.used = append(g.used, cpu(t)-before)
	if err != nil {
		t.Fatal(err)
	}
	if *full && len(rows) != newest || len(rows) == 0 {
		t.Fatalf("%d rows of %s", len(rows), who)
	}
	for i := range rows {
		if rows[i].Principal != who || i > 0 && rows[i].Time.After(rows[i-1].Time) {
			t.Fatalf("row %d is of %s, at %s", i, rows[i].Principal, rows[i].Time)
		}
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// cpu is the processor time that this process has used, in ms.
func cpu(t *testing.T) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
