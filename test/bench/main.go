package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	rounds      int
	slice       time.Duration
	concurrency []int
	only        *regexp.Regexp
	out         string
	profile     string
	page        string
	beside      string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := bench
	if len(os.Args) > 2 && os.Args[1] == roleWord {
		run = runRole
	}
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	s := settings{concurrency: []int{1, 16, 64}, only: regexp.MustCompile("")}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&s.rounds, "rounds", 5, "rounds over which medians are taken")
	f.DurationVar(&s.slice, "slice", 400*time.Millisecond, "how long each target is loaded in each round")
	f.StringVar(&s.out, "o", "", "write the tables to this `file` too")
	f.StringVar(&s.page, "page", "", "measure growth too, and write all as a page to this `file` and a plot beside it")
	f.StringVar(&s.profile, "profile", "", "write profiles of the gateway under tools/call to this `directory`")
	f.StringVar(&s.beside, "beside", "", "measure the gateway of another build too, in turn with this one's: `program` is its bench")
	f.Func("only", "measure only rows that match this `regexp`, such as '^tools/call 16 '; a row is named 'tools/call 16 gateway'", func(v string) (err error) {
		s.only, err = regexp.Compile(v)
		return err
	})
	f.Func("c", "calls at a time, `n,n,…` (default 1,16,64)", func(v string) error {
		s.concurrency = nil
		for part := range strings.SplitSeq(v, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return errors.New("wants positive numbers")
			}
			s.concurrency = append(s.concurrency, n)
		}
		return nil
	})
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 || s.rounds < 1 || s.slice <= 0 {
		return s, errors.New("wants at least one round, some time for each slice, and no further arguments")
	}
	return s, nil
}

// bench measures and prints.
func bench(ctx context.Context, args []string) (err error) {
	s, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mcp-gateway-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stage, err := raise(ctx, filepath.Join(dir, "measured"), coarse, s.beside)
	if err != nil {
		return err
	}
	rows, err := stage.measure(ctx, &s)
	if err == nil {
		var more []row
		more, err = stage.reviewed(ctx, dir, rows)
		rows = append(rows, more...)
	}
	if err == nil {
		var more []row
		more, err = durable(ctx, filepath.Join(dir, "durable"), &s, rows)
		rows = append(rows, more...)
	}
	if err == nil && s.page != "" {
		err = stage.writePage(ctx, filepath.Join(dir, "grown"), &s, rows)
	}
	if err = errors.Join(err, stage.close()); err != nil {
		return err
	}
	if err := printTables(&s, rows); err != nil {
		return err
	}
	if s.profile == "" {
		return nil
	}
	return profile(ctx, filepath.Join(dir, "profiled"), s.profile)
}

// printTables writes to standard output and, where asked for, to a file.
func printTables(s *settings, rows []row) error {
	var out strings.Builder
	writeTables(&out, s, rows)
	if _, err := io.WriteString(os.Stdout, out.String()); err != nil {
		return err
	}
	if s.out == "" {
		return nil
	}
	return os.WriteFile(s.out, []byte(out.String()), 0o644)
}
