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

// How the gateway is loaded for a profile.
const (
	profileTime    = 5 * time.Second
	profileCallers = 16
)

// profile loads a gateway of its own, which samples allocations finely, and
// writes what it did to cpu.pprof and allocs.pprof in to.
func profile(ctx context.Context, dir, to string) (err error) {
	s, err := raise(ctx, dir, fine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	t := s.calls()[2]
	for _, kind := range []struct{ file, path string }{{"cpu.pprof", "/debug/pprof/profile"}, {"allocs.pprof", "/debug/pprof/allocs"}} {
		loaded := make(chan error, 1)
		go func() {
			_, err := t.slice(ctx, profileCallers, profileTime+time.Second)
			loaded <- err
		}()
		path := filepath.Join(to, kind.file)
		err := t.process.control(ctx, fmt.Sprintf("%s?seconds=%d", kind.path, profileTime/time.Second), func(r io.Reader) error {
			raw, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			return os.WriteFile(path, raw, 0o644)
		})
		if err := errors.Join(err, <-loaded); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "wrote", path)
	}
	return nil
}
