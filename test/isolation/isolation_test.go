package isolation

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-gateway/test/stage"
)

var long = flag.Bool("isolation", false, "measure at length")

// size is how much is measured of each kind, and how far apart calls begin: an attack
// takes its time, and calls that are made as fast as they are answered see a moment of it.
type size struct {
	rounds, calls int
	apart         time.Duration
}

// TestIsolation prints the tables: with the circuit as it is where nobody sets it, and
// with one that never opens, so that every hostile answer is read again and again. That
// every call of the healthy upstream is answered, beside whatever, is held.
func TestIsolation(t *testing.T) {
	n := size{rounds: 1, calls: 30}
	if *long {
		n = size{rounds: 8, calls: 150, apart: 3 * time.Millisecond}
	}
	for _, circuit := range []struct{ name, settings string }{{"circuit as it is", ""}, {"circuit that never opens", "circuit: {after: 1000}"}} {
		t.Run(circuit.name, func(t *testing.T) { isolation(t, n, circuit.name, circuit.settings) })
	}
}

func isolation(t *testing.T, n size, name, settings string) {
	at, yields := startWeb(t)
	url := at + "/mcp"
	upstreams := []stage.Upstream{
		stage.Served(t, "good", stage.NewPeer().Add(stage.Tool("work"), stage.Result(stage.Text(`"done"`)))),
		stage.At("calm", url),
		stage.Process("child", "dies").With(settings),
	}
	for _, k := range kinds {
		if k.upstream != "child" {
			upstreams = append(upstreams, stage.At(k.upstream, url).With("timeout: 1s\n"+settings))
		}
	}
	s := stage.Open(t, stage.Options{Upstreams: upstreams})
	if *long { // on a crowded machine it would hardly be served
		yields()
	}
	var table strings.Builder
	fmt.Fprintf(&table, "isolation: %s: p99 of a healthy upstream beside a hostile one / beside a calm one, %d calls each\n", name, n.rounds*n.calls)
	for _, k := range kinds {
		tool := k.upstream + "__" + k.upstream
		if k.upstream == "child" {
			tool = "child__now"
		}
		var quiet, beside []time.Duration
		for range n.rounds {
			stop := attack(t, s, "calm__calm")
			quiet = append(quiet, measure(t, s, n)...)
			stop()
			stop = attack(t, s, tool)
			beside = append(beside, measure(t, s, n)...)
			stop()
		}
		a, b := percentile(quiet, 99), percentile(beside, 99)
		fmt.Fprintf(&table, "isolation: %-10s p50 %6.2f → %6.2f ms, p90 ratio %.2f, p99 %6.2f → %6.2f ms, ratio %.2f\n", k.name,
			ms(percentile(quiet, 50)), ms(percentile(beside, 50)), float64(percentile(beside, 90))/float64(percentile(quiet, 90)), ms(a), ms(b), float64(b)/float64(a))
	}
	t.Log("\n" + table.String())
}

// measure times calls of the healthy upstream, one after the other.
func measure(t *testing.T, s *stage.Stage, n size) []time.Duration {
	t.Helper()
	alice := s.Host("alice")
	next := time.NewTicker(max(n.apart, 1))
	defer next.Stop()
	var took []time.Duration
	for range n.calls {
		<-next.C
		began := time.Now()
		r := alice.Call(t, "good__work", `{}`)
		took = append(took, time.Since(began))
		if r.Result == nil || r.IsError() || !strings.Contains(string(r.Result), "done") {
			t.Fatalf("a healthy upstream is not served: %d %s", r.Status, r.Body)
		}
	}
	return took
}

// attackers are how many hosts call the other upstream at a time, each so often at most:
// what hosts cost that call as fast as they can is another question, whatever they call.
const (
	attackers = 4
	pause     = 20 * time.Millisecond
)

// attack has hosts call a tool again and again, until it is stopped.
func attack(t *testing.T, s *stage.Stage, tool string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var hosts sync.WaitGroup
	for range attackers {
		hosts.Go(func() {
			next := time.NewTicker(pause)
			defer next.Stop()
			for ctx.Err() == nil {
				_, _ = s.Host("alice").Calling(tool, `{}`).Do(ctx) // what becomes of it is not what is measured
				select {
				case <-next.C:
				case <-ctx.Done():
				}
			}
		})
	}
	return func() {
		cancel()
		hosts.Wait()
	}
}

func percentile(all []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
