package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mcp-gateway/test/conformance/checks"
)

// options are what the command line decides.
type options struct {
	suite, out, lists, only, between string
	timeout                          time.Duration
	learn                            bool
}

// errGate says that the run went well and its outcome does not.
var errGate = errors.New("conformance: the gate is shut")

func main() {
	var o options
	flag.StringVar(&o.suite, "suite", "", "folder where Node and the suite are installed")
	flag.StringVar(&o.out, "out", "", "folder for results")
	flag.StringVar(&o.lists, "lists", "test/conformance", "folder of required.yaml and expected.yaml")
	flag.StringVar(&o.only, "only", "", "run only sets and columns whose name begins so")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Second, "of one scenario")
	flag.BoolVar(&o.learn, "learn", false, "write required.yaml from a direct run and a dead port")
	flag.StringVar(&o.between, "between", "", "be a client: put a gateway between this client program and the URL that follows")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func do(ctx context.Context, o options) error {
	if o.between != "" {
		return between(ctx, o.between, o.out, flag.Arg(0))
	}
	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(o.suite)
	if err != nil {
		return err
	}
	o.out = out
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755), buildReference(ctx, bin)); err != nil {
		return err
	}
	r := &runner{options: o, suite: &Suite{Dir: dir, Timeout: o.timeout}, bin: bin}
	if o.learn {
		return r.learn(ctx)
	}
	return r.run(ctx)
}

// runner holds what all runs share.
type runner struct {
	options options
	suite   *Suite
	bin     string // folder of the reference programs

	direct map[string]checks.Report // by set
	dead   map[string]checks.Report // by set: what the suite says of nobody
}

// run runs everything, prints it, and judges.
func (r *runner) run(ctx context.Context) error {
	required, err := checks.LoadRequired(filepath.Join(r.options.lists, "required.yaml"))
	if err != nil {
		return err
	}
	expected, err := checks.LoadExpected(filepath.Join(r.options.lists, "expected.yaml"), columnNames())
	if err != nil {
		return err
	}
	if err := r.baselines(ctx); err != nil {
		return err
	}
	runs := map[string]checks.Report{}
	for _, c := range columns() {
		if !r.wanted(c.Set, c.Name) {
			continue
		}
		if runs[c.Name], err = r.column(ctx, c); err != nil {
			return err
		}
	}
	return r.conclude(required, expected, runs)
}

// wanted says whether the command line asks for a set or one of its columns.
func (r *runner) wanted(names ...string) bool {
	for _, name := range names {
		if strings.HasPrefix(name, r.options.only) {
			return true
		}
	}
	return false
}

// wantedSet says whether any column of a set is asked for.
func (r *runner) wantedSet(set string) bool {
	for _, c := range columns() {
		if c.Set == set && r.wanted(c.Set, c.Name) {
			return true
		}
	}
	return false
}

// baselines runs every set against the reference itself, and against nobody.
func (r *runner) baselines(ctx context.Context) error {
	r.direct, r.dead = map[string]checks.Report{}, map[string]checks.Report{}
	for _, s := range sets() {
		if !r.wantedSet(s.Name) {
			continue
		}
		var err error
		if r.direct[s.Name], err = r.directly(ctx, s); err != nil {
			return err
		}
		nobody, err := freeAddress()
		if err != nil {
			return err
		}
		if r.dead[s.Name], err = r.server(ctx, "dead "+s.Name, s, "http://"+nobody+"/mcp"); err != nil {
			return err
		}
	}
	if !r.wantedSet(clientSet) {
		return nil
	}
	var err error
	if r.direct[clientSet], err = r.clients(ctx, "direct "+clientSet, quote(filepath.Join(r.bin, clientProgram))); err != nil {
		return err
	}
	r.dead[clientSet], err = r.clients(ctx, "dead "+clientSet, "true")
	return err
}

// place is the folder of one run.
func (r *runner) place(name string) (string, error) {
	dir := filepath.Join(r.options.out, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// directly runs one set against the reference itself.
func (r *runner) directly(ctx context.Context, s Set) (checks.Report, error) {
	name := "direct " + s.Name
	dir, err := r.place(name)
	if err != nil {
		return nil, err
	}
	fixture, err := startFixture(ctx, filepath.Join(r.bin, serverProgram), dir)
	if err != nil {
		return nil, err
	}
	defer fixture.Close()
	return r.server(ctx, name, s, fixture.Both)
}

// column runs one set through a gateway. Each run has a reference server of
// its own: the suite changes what the server lists, and a change that was made
// before is none.
func (r *runner) column(ctx context.Context, c Column) (_ checks.Report, err error) {
	dir, err := r.place(c.Name)
	if err != nil {
		return nil, err
	}
	if c.Set == clientSet {
		command, err := throughGateway(filepath.Join(r.bin, clientProgram), dir)
		if err != nil {
			return nil, err
		}
		return r.clients(ctx, c.Name, command)
	}
	fixture, err := startFixture(ctx, filepath.Join(r.bin, serverProgram), dir)
	if err != nil {
		return nil, err
	}
	defer fixture.Close()
	stand, err := openStand(ctx, filepath.Join(dir, "gateway"), map[string]string{
		dualUpstream: fixture.Both, legacyUpstream: fixture.Legacy,
	}, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stand.Close(ctx)) }()
	at := slices.IndexFunc(sets(), func(s Set) bool { return s.Name == c.Set })
	return r.server(ctx, c.Name, sets()[at], stand.URL+"/"+c.Upstream)
}

// server runs one set against a URL.
func (r *runner) server(ctx context.Context, name string, s Set, url string) (checks.Report, error) {
	fmt.Fprintf(os.Stderr, "running %s\n", name)
	dir, err := r.place(name)
	if err != nil {
		return nil, err
	}
	return r.suite.Run(ctx, filepath.Join(dir, "results"), append([]string{"server", "--url", url}, s.Args...)...)
}

// clients lets the client tests judge a command.
func (r *runner) clients(ctx context.Context, name, command string) (checks.Report, error) {
	fmt.Fprintf(os.Stderr, "running %s\n", name)
	dir, err := r.place(name)
	if err != nil {
		return nil, err
	}
	return runClients(ctx, r.suite, dir, command)
}
