package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"mcp-gateway/protocol"
)

// stage is the processes.
type stage struct {
	program                    string // of what is started
	upstream, bare, typed      *child
	index, gateway             *child
	kept                       *child
	freshIndex, freshlyDecided *child
	otherIndex, other          *child // of the build that is measured beside this one; nil for none
}

// raise starts them. The gateway keeps its files in dir. Where the program of another
// build is named, its gateway is started too.
func raise(ctx context.Context, dir string, sampling int, beside string) (s *stage, err error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s = &stage{program: own}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.upstream, err = start(ctx, s.program, coarse, "upstream"); err != nil {
		return s, err
	}
	if s.bare, err = start(ctx, s.program, coarse, "bare", s.upstream.Serve); err != nil {
		return s, err
	}
	if s.typed, err = start(ctx, s.program, coarse, "typed", s.upstream.Serve); err != nil {
		return s, err
	}
	if s.index, s.gateway, err = s.open(ctx, dir, sampling, usual()); err != nil {
		return s, err
	}
	if s.kept, err = start(ctx, s.program, coarse, "kept", s.gateway.Serve, s.gateway.Key); err != nil {
		return s, err
	}
	fresh := usual()
	fresh.Fresh = true
	if s.freshIndex, s.freshlyDecided, err = s.open(ctx, dir+"-fresh", coarse, fresh); err != nil || beside == "" {
		return s, err
	}
	s.program = beside
	s.otherIndex, s.other, err = s.open(ctx, dir+"-beside", coarse, usual())
	s.program = own
	return s, err
}

// open starts a gateway of a shape and the builder of its index.
func (s *stage) open(ctx context.Context, dir string, sampling int, of shape) (index, gateway *child, err error) {
	if index, err = start(ctx, s.program, coarse, "index", dir); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(of)
	if err == nil {
		gateway, err = start(ctx, s.program, sampling, "gateway", dir, s.upstream.Serve, string(text))
	}
	return index, gateway, err
}

func (s *stage) close() error {
	var errs error
	for _, c := range []*child{s.other, s.otherIndex, s.freshlyDecided, s.freshIndex, s.kept, s.gateway, s.index, s.typed, s.bare, s.upstream} {
		if c != nil {
			errs = errors.Join(errs, c.close())
		}
	}
	return errs
}

// Names of targets, as the tables have them.
const (
	direct  = "direct"
	bare    = "bare proxy"
	gateway = "gateway"
	fresh   = "gateway, policy on each call"
	other   = "gateway, the other build"
)

// target is a process under a request.
type target struct {
	name    string
	process *child
	behind  *child // builds its index; nil for none
	request request
}

// calls are the targets of tools/call; lists those of tools/list.
func (s *stage) calls() []target {
	key := s.gateway.Key
	targets := []target{
		{direct, s.upstream, nil, newCall(s.upstream.Serve, "/"+echoServer, "echo", key, resultSize)},
		{bare, s.bare, nil, newCall(s.bare.Serve, "/"+echoServer, "echo", key, resultSize)},
		{gateway, s.gateway, s.index, newCall(s.gateway.Serve, "/mcp", echoServer+"__echo", key, 0)},
		{fresh, s.freshlyDecided, s.freshIndex, newCall(s.freshlyDecided.Serve, "/mcp", echoServer+"__echo", s.freshlyDecided.Key, 0)},
	}
	if s.other != nil {
		targets = append(targets, target{other, s.other, s.otherIndex, newCall(s.other.Serve, "/mcp", echoServer+"__echo", s.other.Key, 0)})
	}
	return targets
}

// writes are the targets of a call with side effects.
func (s *stage) writes() []target {
	key := s.gateway.Key
	return []target{
		{direct, s.upstream, nil, newCall(s.upstream.Serve, "/"+echoServer, noteTool, key, resultSize)},
		{bare, s.bare, nil, newCall(s.bare.Serve, "/"+echoServer, noteTool, key, resultSize)},
		{gateway, s.gateway, s.index, newCall(s.gateway.Serve, "/mcp", echoServer+"__"+noteTool, key, 0)},
	}
}

func (s *stage) lists() []target {
	key := s.gateway.Key
	catalog := fmt.Sprintf("/%s/%d", catalogServer, catalogSize)
	return []target{
		{direct, s.upstream, nil, newList(s.upstream.Serve, catalog, key)},
		{bare, s.bare, nil, newList(s.bare.Serve, catalog, key)},
		{gateway, s.gateway, s.index, newList(s.gateway.Serve, "/mcp/"+catalogServer, key)},
		{kept, s.kept, nil, newList(s.kept.Serve, "/mcp/"+catalogServer, key)},
	}
}

// row is one line of a table: a target at one concurrency, and its medians.
type row struct {
	workload    string
	concurrency int
	target      string
	figures
}

// figures are of one slice, or medians over several.
type figures struct {
	rate, p50, p99     float64 // calls a second; µs
	cpu, allocs, bytes float64 // of the process: µs, numbers and bytes a call
	index              float64 // µs a call of the process that builds the index
}

// measure takes all rows that are asked for.
func (s *stage) measure(ctx context.Context, o *settings) ([]row, error) {
	legacy, err := s.legacyCalls(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, w := range []struct {
		name    string
		targets []target
	}{{protocol.MethodToolsCall, s.calls()}, {protocol.MethodToolsList, s.lists()}, {legacyCall, legacy}, {writing, s.writes()}} {
		for _, n := range o.concurrency {
			targets := slices.DeleteFunc(slices.Clone(w.targets), func(t target) bool {
				return !o.only.MatchString(fmt.Sprintf("%s %d %s", w.name, n, t.name))
			})
			taken, err := compare(ctx, targets, n, o)
			if err != nil {
				return nil, fmt.Errorf("%s, %d at a time: %w", w.name, n, err)
			}
			for i, t := range targets {
				rows = append(rows, row{w.name, n, t.name, medians(taken[i])})
			}
		}
	}
	return rows, nil
}

// compare measures targets in turn, and in reverse order every other round. A
// first round, which warms them, does not count.
func compare(ctx context.Context, targets []target, n int, o *settings) ([][]figures, error) {
	taken := make([][]figures, len(targets))
	for round := range o.rounds + 1 {
		if len(targets) == 0 {
			break
		}
		for i := range targets {
			if round%2 == 0 {
				i = len(targets) - 1 - i
			}
			f, err := targets[i].slice(ctx, n, o.slice)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", targets[i].name, err)
			}
			if round > 0 {
				taken[i] = append(taken[i], f)
			}
		}
		fmt.Fprint(os.Stderr, ".")
	}
	fmt.Fprintln(os.Stderr)
	return taken, nil
}

// slice loads one target for a while, and says what that cost it.
func (t *target) slice(ctx context.Context, n int, d time.Duration) (f figures, err error) {
	callers, err := gather(t.process.Serve, &t.request, n)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, callers.close()) }()
	before, behind, err := t.usage(ctx)
	if err != nil {
		return f, err
	}
	elapsed, err := callers.run(ctx, d)
	if err != nil {
		return f, err
	}
	after, err := t.process.usage(ctx)
	if err != nil {
		return f, err
	}
	ahead, err := t.indexed(ctx)
	if err != nil {
		return f, err
	}
	took := callers.took()
	slices.Sort(took)
	calls := float64(len(took))
	return figures{
		rate:   calls / elapsed.Seconds(),
		p50:    micros(quantile(took, 0.50)),
		p99:    micros(quantile(took, 0.99)),
		cpu:    micros(after.CPU-before.CPU) / calls,
		allocs: float64(after.Allocs-before.Allocs) / calls,
		bytes:  float64(after.Bytes-before.Bytes) / calls,
		index:  micros(ahead.CPU-behind.CPU) / (calls + float64(n)), // that of each caller's first is among it
	}, nil
}

// usage of the target's process, and of the one that builds its index, which was at
// rest before this slice began.
func (t *target) usage(ctx context.Context) (own, index usage, err error) {
	if own, err = t.process.usage(ctx); err == nil && t.behind != nil {
		index, err = t.behind.usage(ctx)
	}
	return own, index, err
}

// indexed is what the process that builds the index used once it has built it.
func (t *target) indexed(ctx context.Context) (usage, error) {
	if t.behind == nil {
		return usage{}, nil
	}
	return t.behind.rest(ctx)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// quantile of a sorted list: the smallest value that is not below a share q of
// all.
func quantile[T cmp.Ordered](sorted []T, q float64) T {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// medians takes each figure's own.
func medians(all []figures) figures {
	of := func(pick func(*figures) float64) float64 {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = pick(&all[i])
		}
		slices.Sort(values)
		return quantile(values, 0.5)
	}
	return figures{
		rate:   of(func(f *figures) float64 { return f.rate }),
		p50:    of(func(f *figures) float64 { return f.p50 }),
		p99:    of(func(f *figures) float64 { return f.p99 }),
		cpu:    of(func(f *figures) float64 { return f.cpu }),
		allocs: of(func(f *figures) float64 { return f.allocs }),
		bytes:  of(func(f *figures) float64 { return f.bytes }),
		index:  of(func(f *figures) float64 { return f.index }),
	}
}
