package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// writePage measures growth too and writes the page and, beside it, its plot.
func (s *stage) writePage(ctx context.Context, dir string, o *settings, rows []row) error {
	curves, err := s.grow(ctx, dir, o)
	if err != nil {
		return err
	}
	base, err := s.bare.usage(ctx)
	if err != nil {
		return err
	}
	own, err := s.gateway.usage(ctx)
	if err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString("# What it costs\n\nWritten by `go run ./test/bench -page docs/performance.md`; `make bench` does so. Times on a\nmachine that is shared are good as ratios within one run only.\n\n")
	writeTables(&page, o, rows)
	writeStart(&page, s, base.RSS, own.RSS)
	if err := writeReceipts(&page, dir); err != nil {
		return err
	}
	plot := "growth.svg"
	fmt.Fprintf(&page, "\n## How it grows\n\nEach point is a gateway of its own, with %d calls at a time; one thing grows, and the others\nstay small. The memory is that after the load.\n\n![CPU of a call and memory, as each of four things grows](%s)\n", growthAt, plot)
	for _, c := range curves {
		c.write(&page)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(o.page), plot), []byte(draw(curves)), 0o644); err != nil {
		return err
	}
	return os.WriteFile(o.page, []byte(page.String()), 0o644)
}

// writeStart compares what it takes to be there at all.
func writeStart(w io.Writer, s *stage, bareRSS, ownRSS int64) {
	fmt.Fprintf(w, "\n## To be there\n\nCPU until it serves, and memory after the loads above. The bare proxy is the same binary.\n\n"+
		"| | CPU ms | memory MiB |\n|---|---|---|\n| bare proxy | %.0f | %.1f |\n| gateway, 2 upstreams, %d tools | %.0f | %.1f |\n| ÷ | %.1f | %.1f |\n",
		millis(s.bare.Start), mebi(bareRSS), catalogSize+2, millis(s.gateway.Start), mebi(ownRSS),
		float64(s.gateway.Start)/float64(s.bare.Start), float64(ownRSS)/float64(bareRSS))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func mebi(n int64) float64           { return float64(n) / (1 << 20) }

// write is the curve as a table.
func (c *curve) write(w io.Writer) {
	fmt.Fprintf(w, "\n| %s | CPU µs a call | ÷ the first | p50 µs | allocs | KB a call | memory MiB | CPU ms to start |", c.name)
	if c.beside {
		fmt.Fprint(w, " ÷ bare proxy |")
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|---|"+when(c.beside, "---|")+"\n")
	for _, g := range c.grown {
		fmt.Fprintf(w, "| %d | %.0f | %.2f | %.0f | %.0f | %.1f | %.1f | %.0f |", g.n, g.cpu, g.cpu/c.grown[0].cpu, g.p50, g.allocs, g.bytes/bytesPerKilo, mebi(g.rss), millis(g.start))
		if c.beside {
			fmt.Fprintf(w, " %.2f |", g.cpu/g.bare)
		}
		fmt.Fprintln(w)
	}
}

// Of the plot, in pixels.
const (
	panelWidth, panelHeight = 240, 180
	margin                  = 44
)

// draw makes a panel for each curve: CPU of a call and memory, both as multiples of
// the first point, over what grows; both axes are logarithmic.
func draw(curves []curve) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		2*(panelWidth+margin)+margin, 2*(panelHeight+margin)+margin)
	out.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, c := range curves {
		x, y := margin+(i%2)*(panelWidth+margin), margin/2+(i/2)*(panelHeight+margin)
		fmt.Fprintf(&out, `<g transform="translate(%d %d)">`+"\n", x, y)
		c.panel(&out)
		out.WriteString("</g>\n")
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" fill="#1f6feb">CPU of a call</text><text x="%d" y="%[2]d" fill="#d1242f">memory</text>`+"\n</svg>\n",
		margin, 2*(panelHeight+margin)+margin-8, margin+110)
	return out.String()
}

func (c *curve) panel(w io.Writer) {
	first, last := c.grown[0], c.grown[len(c.grown)-1]
	top := 10.0
	for _, g := range c.grown {
		top = max(top, g.cpu/first.cpu, float64(g.rss)/float64(first.rss))
	}
	top = math.Pow(10, math.Ceil(math.Log10(top)))
	at := func(n int, multiple float64) (x, y float64) {
		x = panelWidth * math.Log(float64(n)/float64(first.n)) / math.Log(float64(last.n)/float64(first.n))
		return x, panelHeight * (1 - math.Log10(max(multiple, 1))/math.Log10(top))
	}
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="none" stroke="#d0d7de"/>`+"\n", panelWidth, panelHeight)
	for multiple := 1.0; multiple <= top; multiple *= 10 {
		_, y := at(first.n, multiple)
		fmt.Fprintf(w, `<line x1="0" x2="%d" y1="%.1f" y2="%[2]f" stroke="#eaeef2"/><text x="-6" y="%.1f" text-anchor="end">%.0f×</text>`+"\n", panelWidth, y, y+4, multiple)
	}
	for _, line := range []struct {
		color string
		of    func(g *grown) float64
	}{
		{"#d1242f", func(g *grown) float64 { return float64(g.rss) / float64(first.rss) }},
		{"#1f6feb", func(g *grown) float64 { return g.cpu / first.cpu }},
	} {
		var points strings.Builder
		for i := range c.grown {
			x, y := at(c.grown[i].n, line.of(&c.grown[i]))
			fmt.Fprintf(&points, "%.1f,%.1f ", x, y)
			fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, line.color)
		}
		fmt.Fprintf(w, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.TrimSpace(points.String()), line.color)
	}
	for i, g := range c.grown {
		x, _ := at(g.n, 1)
		anchor := map[bool]string{true: "start", false: "middle"}[i == 0]
		fmt.Fprintf(w, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`+"\n", x, panelHeight+14, anchor, short(g.n))
	}
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle" font-weight="bold">%s</text>`+"\n", panelWidth/2, panelHeight+28, c.name)
}

// short writes a number as people say it.
func short(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d Mi", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d Ki", n>>10)
	case n >= 1000:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}
