package isolation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-gateway/test/stage"
)

// BenchmarkRedaction calls by turns an upstream whose results are cleaned and one
// whose results pass as they came, through a whole gateway, and tells the ratio of
// the medians beside the time of a pair.
func BenchmarkRedaction(b *testing.B) {
	line := "The service answered within its budget; four of five checks passed. "
	for name, text := range map[string]string{"2KB": strings.Repeat(line, 30), "100KB": strings.Repeat(line, 1500)} {
		b.Run(name, func(b *testing.B) {
			tool := func() *stage.Peer {
				return stage.NewPeer().Add(stage.Tool("read"), stage.Result(stage.Text(`"`+text+`"`)))
			}
			s := stage.Open(b, stage.Options{Upstreams: []stage.Upstream{
				stage.Served(b, "cleaned", tool()), stage.Served(b, "whole", tool()).With("unsafe_uncleaned: true"),
			}})
			alice := s.Host("alice")
			took := map[string][]time.Duration{}
			for b.Loop() {
				for _, tool := range []string{"cleaned__read", "whole__read"} {
					began := time.Now()
					if r := alice.Call(b, tool, `{}`); r.Result == nil || r.IsError() {
						b.Fatalf("%s", r.Body)
					}
					took[tool] = append(took[tool], time.Since(began))
				}
			}
			median := func(tool string) float64 {
				all := took[tool]
				slices.Sort(all)
				return float64(all[len(all)/2])
			}
			b.ReportMetric(median("cleaned__read")/median("whole__read"), "cleaned/whole")
		})
	}
}
