package rego_test

import (
	"slices"
	"testing"
	"time"

	"mcp-gateway/gateway"
	"mcp-gateway/rego"
)

// BenchmarkRatios sets two costs side by side, in turns within one run, so that what
// else the machine does falls on both. The goals are at most 1.2 and at most 0.2.
func BenchmarkRatios(b *testing.B) {
	tools := someTools(300)
	p := &gateway.Principal{Subject: "u0"}
	decide := func(e *rego.Engine, i int) func() {
		return func() {
			if d := e.Decide(b.Context(), p, tools[i%300], nil, modern); d.Effect != gateway.Allow {
				b.Fatal(d)
			}
		}
	}
	few, many := grantsEngine(b, 10, true), grantsEngine(b, 10000, true)
	b.Run("a decision among 10000 grants to one among 10", func(b *testing.B) {
		var one, other []time.Duration
		for i := 0; b.Loop(); i++ {
			if i%2 == 0 { // neither always comes after the other
				one, other = append(one, took(decide(many, i))), append(other, took(decide(few, i)))
			} else {
				other, one = append(other, took(decide(few, i))), append(one, took(decide(many, i)))
			}
		}
		b.ReportMetric(median(one)/median(other), "ratio")
	})
	b.Run("a list of 300 to 300 decisions", func(b *testing.B) {
		var one, other []time.Duration
		for b.Loop() {
			one = append(one, took(func() {
				if _, err := few.Visible(b.Context(), p, tools); err != nil {
					b.Fatal(err)
				}
			}))
			for i := range tools {
				other = append(other, took(decide(few, i)))
			}
		}
		b.ReportMetric(median(one)/(300*median(other)), "ratio")
	})
}

func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// median is in seconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds()
}
