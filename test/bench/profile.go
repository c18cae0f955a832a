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

const profileTime = 10 * time.Second

// profile writes what a gateway does under each method to METHOD.cpu.pprof and
// METHOD.allocs.pprof in the directory to.
func profile(ctx context.Context, dir, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	var errs error
	for name, targets := range map[string]func(*stage) []target{"call": (*stage).calls, "list": (*stage).lists} {
		file := filepath.Join(to, name)
		errs = errors.Join(errs,
			take(ctx, filepath.Join(dir, name+"-cpu"), coarse, targets, 16, "/debug/pprof/profile", file+".cpu.pprof"),
			take(ctx, filepath.Join(dir, name+"-allocs"), fine, targets, 1, "/debug/pprof/allocs", file+".allocs.pprof"),
		)
	}
	return errs
}

// take profiles a gateway of its own, since sampling allocations finely would
// show in its CPU.
func take(ctx context.Context, dir string, sampling int, targets func(*stage) []target, callers int, path, file string) (err error) {
	s, err := raise(ctx, dir, sampling, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	t := targets(s)[2]
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
