package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mcp-gateway/protocol"
)

// axis is one way in which a gateway grows. Each point is a gateway of its own.
type axis struct {
	name   string // and unit
	points []int
	shape  func(n int) shape
	// request is what is asked of the gateway in a process of that shape.
	request func(s *stage, gateway *child, n int) (request, error)
	beside  bool // the bare proxy is asked for the same
}

// grown is what one point costs.
type grown struct {
	n     int
	start time.Duration // CPU until it served
	rss   int64         // in bytes, under load
	figures
	bare float64 // CPU µs a call of the bare proxy; 0 where it is not asked
}

// curve is an axis that was measured.
type curve struct {
	axis
	grown []grown
}

// growthAt is the number of callers at a time.
const growthAt = 16

func axes() []axis {
	echo := func(_ *stage, g *child, _ int) (request, error) {
		return newCall(g.Serve, "/mcp", echoServer+"__echo", g.Key, 0), nil
	}
	return []axis{
		{name: "upstreams", points: []int{1, 10, 100}, shape: func(n int) shape { return shape{Upstreams: n, Tools: 10} }, request: echo},
		{name: "tools", points: []int{10, 300, 3000}, shape: func(n int) shape { return shape{Upstreams: 1, Tools: n} }, request: echo},
		{name: "principals", points: []int{10, 1_000, 100_000}, shape: func(int) shape { return shape{Upstreams: 1, Tools: 10, Issuer: true} }, request: byMany},
		{name: "bytes of a result", points: []int{1 << 10, 32 << 10, 1 << 20, 5 << 20}, shape: func(int) shape { return shape{Upstreams: 1, Tools: 10} },
			request: func(_ *stage, g *child, n int) (request, error) {
				return newFill(g.Serve, "/mcp", echoServer+"__fill", g.Key, n), nil
			}, beside: true},
	}
}

// byMany is the small call, by n principals in turn.
func byMany(s *stage, g *child, n int) (request, error) {
	all, err := tokens(s.upstream.Key, s.upstream.Serve, n)
	if err != nil {
		return request{}, err
	}
	r := newCall(g.Serve, "/mcp", echoServer+"__echo", all[0], 0)
	r.turn = new(atomic.Int64)
	for _, token := range all {
		h := requestHeader(protocol.MethodToolsCall, echoServer+"__echo", token)
		r.many = append(r.many, encode(g.Serve, "/mcp", h, callBody(echoServer+"__echo")))
	}
	return r, nil
}

// grow measures every point of every axis.
func (s *stage) grow(ctx context.Context, dir string, o *settings) ([]curve, error) {
	var curves []curve
	for _, a := range axes() {
		c := curve{axis: a}
		for _, n := range a.points {
			g, err := s.point(ctx, filepath.Join(dir, fmt.Sprintf("%.5s-%d", a.name, n)), a, n, o)
			if err != nil {
				return nil, fmt.Errorf("%d %s: %w", n, a.name, err)
			}
			c.grown = append(c.grown, g)
			fmt.Fprint(os.Stderr, ".")
		}
		curves = append(curves, c)
	}
	fmt.Fprintln(os.Stderr)
	return curves, nil
}

func (s *stage) point(ctx context.Context, dir string, a axis, n int, o *settings) (g grown, err error) {
	index, gateway, err := s.open(ctx, dir, coarse, a.shape(n))
	defer func() { err = errors.Join(err, shut(gateway, index)) }()
	if err != nil {
		return g, err
	}
	r, err := a.request(s, gateway, n)
	if err != nil {
		return g, err
	}
	t := target{a.name, gateway, index, r}
	if err := t.warm(ctx); err != nil {
		return g, err
	}
	if g.figures, err = t.several(ctx, o); err != nil {
		return g, err
	}
	after, err := gateway.usage(ctx)
	g.n, g.start, g.rss = n, gateway.Start, after.RSS
	if err != nil || !a.beside {
		return g, err
	}
	beside := target{bare, s.bare, nil, newFill(s.bare.Serve, "/"+echoServer, "fill", gateway.Key, n)}
	taken, err := beside.several(ctx, o)
	g.bare = taken.cpu
	return g, err
}

// warm makes every one of many requests once.
func (t *target) warm(ctx context.Context) (err error) {
	callers, err := gather(t.process.Serve, &t.request, growthAt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callers.close()) }()
	for t.request.turn != nil && int(t.request.turn.Load()) < len(t.request.many) {
		if _, err := callers.run(ctx, time.Second); err != nil {
			return err
		}
	}
	_, err = t.indexed(ctx)
	return err
}

// several is the median of several slices.
func (t *target) several(ctx context.Context, o *settings) (figures, error) {
	var taken []figures
	for range o.rounds {
		f, err := t.slice(ctx, growthAt, o.slice)
		if err != nil {
			return f, err
		}
		taken = append(taken, f)
	}
	return medians(taken), nil
}

// shut lets go of children that were started.
func shut(all ...*child) error {
	var errs error
	for _, c := range all {
		if c != nil {
			errs = errors.Join(errs, c.close())
		}
	}
	return errs
}
