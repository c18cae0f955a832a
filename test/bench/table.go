package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"mcp-gateway/protocol"
)

// writeTables writes one table for each method and then the verdict.
func writeTables(w io.Writer, s *settings, rows []row) {
	fmt.Fprintf(w, "%d rounds of %v for each target in turn, medians; %s, %d CPUs. CPU, allocations and bytes are those of the target's process alone, a call.\n",
		s.rounds, s.slice, runtime.Version(), runtime.NumCPU())
	for _, method := range []string{protocol.MethodToolsCall, protocol.MethodToolsList, legacyCall} {
		writeTable(w, method, rows)
	}
	writeVerdict(w, rows)
}

var headings = map[string]string{
	protocol.MethodToolsCall: "a small call, everything on",
	legacyCall:               "a small call, everything on",
	protocol.MethodToolsList: fmt.Sprintf("%d tools, warm", catalogSize),
}

func writeTable(w io.Writer, method string, rows []row) {
	started := false
	for i := range rows {
		r := &rows[i]
		if r.workload != method {
			continue
		}
		if !started {
			started = true
			fmt.Fprintf(w, "\n%s: %s\n\n", method, headings[method])
			base := measureOf(method)
			fmt.Fprintf(w, "| target | at a time | req/s | p50 µs | p99 µs | CPU µs | allocs | bytes | index CPU µs | CPU ÷ %s | CPU ÷ direct | p50 ÷ %s | p50 ÷ direct |\n", base, base)
			fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|")
		}
		fmt.Fprintf(w, "| %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |%s\n",
			r.target, r.concurrency, r.rate, r.p50, r.p99, r.cpu, r.allocs, r.bytes, r.index, ratios(rows, r))
	}
}

// measureOf is the proxy that a workload is measured against.
func measureOf(workload string) string {
	if workload == legacyCall {
		return typed
	}
	return bare
}

// ratios are those of a row to the measure and direct at the same concurrency.
func ratios(rows []row, r *row) string {
	var out strings.Builder
	for _, pick := range []func(*row) float64{cpuOf, p50Of} {
		for _, base := range []string{measureOf(r.workload), direct} {
			out.WriteString(" ")
			if q, ok := ratio(rows, r, base, pick); ok && base != r.target {
				fmt.Fprintf(&out, "%.3g", q)
			}
			out.WriteString(" |")
		}
	}
	return out.String()
}

func cpuOf(r *row) float64 { return r.cpu }
func p50Of(r *row) float64 { return r.p50 }

func ratio(rows []row, r *row, base string, pick func(*row) float64) (float64, bool) {
	for i := range rows {
		b := &rows[i]
		if b.workload == r.workload && b.concurrency == r.concurrency && b.target == base && pick(b) > 0 {
			return pick(r) / pick(b), true
		}
	}
	return 0, false
}

// The goals of the gateway's rows.
const (
	maxAllocs    = 430
	maxBytes     = 36 << 10
	maxCallCPU   = 2.3  // of the bare proxy's
	maxListCPU   = 0.02 // of the direct list's
	maxLegacyCPU = 1.0  // of the typed proxy's
	bytesPerKilo = 1 << 10
)

// writeVerdict holds the gateway's worst row of each method against the goals.
func writeVerdict(w io.Writer, rows []row) {
	var worst struct{ allocs, bytes, call, list, legacy float64 }
	for i := range rows {
		r := &rows[i]
		switch {
		case r.target != gateway:
		case r.workload == protocol.MethodToolsList:
			q, _ := ratio(rows, r, direct, cpuOf)
			worst.list = max(worst.list, q)
		case r.workload == legacyCall:
			q, _ := ratio(rows, r, typed, cpuOf)
			worst.legacy = max(worst.legacy, q)
		default:
			q, _ := ratio(rows, r, bare, cpuOf)
			worst.allocs, worst.bytes = max(worst.allocs, r.allocs), max(worst.bytes, r.bytes)
			worst.call = max(worst.call, q)
		}
	}
	fmt.Fprint(w, "\n| goal, at every concurrency | reached | |\n|---|---|---|\n")
	line := func(goal string, limit, got float64, format string) {
		verdict := "yes"
		switch {
		case got == 0:
			verdict = "not measured"
		case got > limit:
			verdict = "**no**"
		}
		fmt.Fprintf(w, "| %s ≤ "+format+" | "+format+" | %s |\n", goal, limit, got, verdict)
	}
	line("allocations of a call", maxAllocs, worst.allocs, "%.0f")
	line("KB of a call", maxBytes/bytesPerKilo, worst.bytes/bytesPerKilo, "%.1f")
	line("CPU of a call ÷ bare proxy's", maxCallCPU, worst.call, "%.2f")
	line("CPU of a list ÷ direct list's", maxListCPU, worst.list, "%.4f")
	line("CPU of a call in an older session ÷ "+typed+"'s", maxLegacyCPU, worst.legacy, "%.2f")
}
