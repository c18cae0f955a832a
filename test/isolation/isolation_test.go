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

// size is how much is measured of each kind.
type size struct{ rounds, calls int }

// TestIsolation prints the table. That every call of the healthy upstream is
// answered, beside whatever, is held.
func TestIsolation(t *testing.T) {
	n := size{rounds: 2, calls: 40}
	if *long {
		n = size{rounds: 9, calls: 250}
	}
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{
		stage.Served(t, "good", stage.NewPeer().Add(stage.Tool("work"), stage.Result(stage.Text(`"done"`)))),
		stage.At("web", startWeb(t)+"/mcp").With("timeout: 300ms"),
		stage.Process("child", "dies"),
	}})
	var table strings.Builder
	fmt.Fprintf(&table, "isolation: p99 of a healthy upstream beside a hostile one / quiet, %d calls each\n", n.rounds*n.calls)
	for _, k := range kinds {
		var quiet, beside []time.Duration
		for range n.rounds {
			quiet = append(quiet, measure(t, s, n.calls)...)
			stop := attack(t, s, k.tool)
			beside = append(beside, measure(t, s, n.calls)...)
			stop()
		}
		a, b := percentile(quiet, 99), percentile(beside, 99)
		fmt.Fprintf(&table, "isolation: %-10s p50 %6.2f → %6.2f ms, p99 %6.2f → %6.2f ms, ratio %.2f\n", k.name,
			ms(percentile(quiet, 50)), ms(percentile(beside, 50)), ms(a), ms(b), float64(b)/float64(a))
	}
	t.Log("\n" + table.String())
}

// measure times calls of the healthy upstream, one after the other.
func measure(t *testing.T, s *stage.Stage, calls int) []time.Duration {
	t.Helper()
	alice := s.Host("alice")
	var took []time.Duration
	for range calls {
		began := time.Now()
		r := alice.Call(t, "good__work", `{}`)
		took = append(took, time.Since(began))
		if r.Result == nil || r.IsError() || !strings.Contains(string(r.Result), "done") {
			t.Fatalf("a healthy upstream is not served: %d %s", r.Status, r.Body)
		}
	}
	return took
}

// attackers are how many hosts call the hostile upstream at a time.
const attackers = 4

// attack has hosts call a hostile tool again and again, until it is stopped.
func attack(t *testing.T, s *stage.Stage, tool string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var hosts sync.WaitGroup
	for range attackers {
		hosts.Go(func() {
			for ctx.Err() == nil {
				_, _ = s.Host("alice").Calling(tool, `{}`).Do(ctx) // what becomes of it is not what is measured
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
