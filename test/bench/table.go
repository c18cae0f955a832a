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
	for _, method := range []string{protocol.MethodToolsCall, writing, protocol.MethodToolsList, legacyCall} {
		writeTable(w, method, rows)
	}
	writeApart(w, rows)
	writeVerdict(w, rows)
}

var headings = map[string]string{
	protocol.MethodToolsCall: "a small call, everything on",
	legacyCall:               "a small call, everything on",
	writing:                  "a small write: on the ledger and on disk before it is sent, and a signed receipt",
	protocol.MethodToolsList: fmt.Sprintf("%d tools, warm", catalogSize),
}

// writeApart tells what of a call is durability, and what the index does behind it.
func writeApart(w io.Writer, rows []row) {
	fmt.Fprint(w, "\nApart: what is durable, and the index behind it. Events and entries are made in a process of their own;\n"+
		"both are committed in groups, so that many at once cost less each.\n\n| | at a time | CPU µs | ÷ the call's | a second |\n|---|---|---|---|---|\n")
	for i := range rows {
		r := &rows[i]
		if r.target != events && r.target != ledger && r.workload != indexing {
			continue
		}
		share, rate := "", ""
		if q, ok := ratio(rows, r, gateway, cpuOf); ok && r.target != gateway {
			share = fmt.Sprintf("%.3f", q)
		}
		if r.rate > 0 {
			rate = fmt.Sprintf("%.0f", r.rate)
		}
		fmt.Fprintf(w, "| %s | %d | %.1f | %s | %s |\n", r.workload, r.concurrency, r.cpu, share, rate)
	}
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

// goal is what the gateway's rows are held against.
type goal struct {
	says     string
	workload string
	target   string
	pick     func(*row) float64
	base     string // what it is divided by; "" for nothing
	at       int    // calls at a time; 0 for the worst of all
	least    bool   // the limit is a lower one
	limit    float64
	format   string
}

func goals() []goal {
	call, list := protocol.MethodToolsCall, protocol.MethodToolsList
	rate := func(r *row) float64 { return r.rate }
	allocs := func(r *row) float64 { return r.allocs }
	kilo := func(r *row) float64 { return r.bytes / bytesPerKilo }
	return []goal{
		{"CPU of a call ÷ bare proxy's, decision kept", call, gateway, cpuOf, bare, 0, false, 1.5, "%.2f"},
		{"CPU of a call ÷ bare proxy's, policy on each", call, fresh, cpuOf, bare, 0, false, 2.0, "%.2f"},
		{"p50 of a call ÷ bare proxy's, one at a time, decision kept", call, gateway, p50Of, bare, 1, false, 1.3, "%.2f"},
		{"p50 of a call ÷ bare proxy's, one at a time, policy on each", call, fresh, p50Of, bare, 1, false, 1.6, "%.2f"},
		{"calls a second ÷ bare proxy's, 64 at a time", call, gateway, rate, bare, 64, true, 0.9, "%.2f"},
		{"allocations of a call, decision kept", call, gateway, allocs, "", 0, false, 240, "%.0f"},
		{"allocations of a call, policy on each", call, fresh, allocs, "", 0, false, 400, "%.0f"},
		{"KB of a call, policy on each", call, fresh, kilo, "", 0, false, 36, "%.1f"},
		{"CPU of a list ÷ direct list's", list, gateway, cpuOf, direct, 0, false, 0.02, "%.4f"},
		{"CPU of a list without its event ÷ direct list's", eventless, gateway, cpuOf, direct, 0, false, 0.005, "%.4f"},
		{"CPU of " + kept + " ÷ direct list's", list, kept, cpuOf, direct, 0, false, stated, "%.4f"},
		{"CPU of a list without its event ÷ that of " + kept, eventless, gateway, cpuOf, kept, 0, false, stated, "%.2f"},
		{"bytes kept of a principal, at 300 tools", contexts, gateway, func(r *row) float64 { return r.bytes }, "", 0, false, 256, "%.0f"},
		{"re-check of 300 unchanged ÷ full digest", recheck, unchanged, cpuOf, full, 0, false, 0.1, "%.4f"},
		{"journal's share of a read call's CPU", recording, events, cpuOf, gateway, 0, false, 0.1, "%.3f"},
		{"CPU µs of an event in the journal", recording, events, func(r *row) float64 { return r.cpu / perCall }, "", 0, false, 10, "%.1f"},
		{"CPU µs of the index for an event", indexing, gateway, cpuOf, "", 0, false, 120, "%.0f"},
		{"ledger's share of a write's CPU", entering, ledger, cpuOf, gateway, 0, false, stated, "%.2f"},
		{"CPU of a write ÷ bare proxy's", writing, gateway, cpuOf, bare, 0, false, stated, "%.2f"},
		{"CPU of a call in an older session ÷ " + typed + "'s", legacyCall, gateway, cpuOf, typed, 0, false, 1, "%.2f"},
	}
}

const bytesPerKilo = 1 << 10

// stated is the limit of what is told and held against nothing.
const stated = 0

// writeVerdict holds the gateway's rows against the goals, each by its worst row.
func writeVerdict(w io.Writer, rows []row) {
	fmt.Fprint(w, "\n| goal | reached | |\n|---|---|---|\n")
	for _, g := range goals() {
		got, measured := g.worst(rows)
		verdict, sign := "yes", "≤"
		if g.least {
			sign = "≥"
		}
		switch {
		case !measured && g.limit == stated:
			continue
		case g.limit == stated:
			fmt.Fprintf(w, "| %s | "+g.format+" | stated |\n", g.says, got)
			continue
		case !measured:
			fmt.Fprintf(w, "| %s %s "+g.format+" | not measured | |\n", g.says, sign, g.limit)
			continue
		case got > g.limit != g.least && got != g.limit:
			verdict = "**no**"
		}
		fmt.Fprintf(w, "| %s %s "+g.format+" | "+g.format+" | %s |\n", g.says, sign, g.limit, got, verdict)
	}
}

// worst is the figure of the row that is farthest on the wrong side.
func (g *goal) worst(rows []row) (got float64, measured bool) {
	for i := range rows {
		r := &rows[i]
		if r.target != g.target || r.workload != g.workload || g.at != 0 && r.concurrency != g.at {
			continue
		}
		value, ok := g.pick(r), true
		if g.base != "" {
			value, ok = ratio(rows, r, g.base, g.pick)
		}
		if ok && (!measured || value > got != g.least) {
			got, measured = value, true
		}
	}
	return got, measured
}
