package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const profileTime = 5 * time.Second

// profile writes what a gateway does under tools/call to cpu.pprof and
// allocs.pprof in the directory to.
func profile(ctx context.Context, dir, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return errors.Join(
		take(ctx, filepath.Join(dir, "cpu"), coarse, 16, "/debug/pprof/profile", filepath.Join(to, "cpu.pprof")),
		take(ctx, filepath.Join(dir, "allocs"), fine, 1, "/debug/pprof/allocs", filepath.Join(to, "allocs.pprof")),
	)
}

// take profiles a gateway of its own, since sampling allocations finely would
// show in its CPU.
func take(ctx context.Context, dir string, sampling, callers int, path, file string) (err error) {
	s, err := raise(ctx, dir, sampling)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	t := s.calls()[2]
	loaded := make(chan error, 1)
	go func() {
		_, err := t.slice(ctx, callers, profileTime+time.Second)
		loaded <- err
	}()
	err = t.process.control(ctx, fmt.Sprintf("%s?seconds=%d", path, profileTime/time.Second), func(r io.Reader) error {
		raw, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		return os.WriteFile(file, raw, 0o644)
	})
	if err := errors.Join(err, <-loaded); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "wrote", file)
	return nil
}
