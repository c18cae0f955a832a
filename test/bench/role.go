package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A role is this program again, started as "role NAME ARGUMENT…". It prints one
// line of JSON, its hello, and serves until its standard input ends.
const roleWord = "role"

// hello is what a child says once it serves.
type hello struct {
	Serve   string        // address of what is measured
	Control string        // address at which it tells what it used
	Key     string        // the credential for it, if it wants one; of the upstream, the issuer's key
	Start   time.Duration // CPU until it served
}

// usage is what a process has used since it started.
type usage struct {
	CPU    time.Duration // user and system, garbage collection included
	Allocs uint64
	Bytes  uint64 // allocated, not held
	RSS    int64  // bytes that are in memory now
}

// How finely allocations are sampled: what Go does of itself, or finely enough
// for a profile and too costly to measure by.
const (
	coarse = 512 << 10
	fine   = 4 << 10
)

// runRole serves one role until the parent lets go of it.
func runRole(ctx context.Context, args []string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent, however that ended
		stop()
	}()
	name, args := args[1], args[2:]
	switch {
	case name == "upstream":
		return serveUpstream(ctx)
	case name == "bare" && len(args) == 1:
		return serveHTTP(ctx, bareHandler(args[0]), hello{})
	case name == "kept" && len(args) == 2:
		handler, err := keptHandler(ctx, args[0], args[1])
		if err != nil {
			return err
		}
		return serveHTTP(ctx, handler, hello{})
	case name == "typed" && len(args) == 1:
		handler, err := typedHandler(ctx, args[0])
		if err != nil {
			return err
		}
		return serveHTTP(ctx, handler, hello{})
	case name == "index" && len(args) == 1:
		return serveIndex(ctx, args[0])
	case name == "gateway" && len(args) == 3:
		var s shape
		if err := json.Unmarshal([]byte(args[2]), &s); err != nil {
			return err
		}
		return serveGateway(ctx, args[0], args[1], s)
	}
	return fmt.Errorf("no role %s with %d arguments", name, len(args))
}

// serveHTTP serves a handler and the controls.
func serveHTTP(ctx context.Context, handler http.Handler, h hello) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if h.Start == 0 {
		h.Start = used().CPU
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close() // nothing under way is of interest any more
	}()
	if err := greet(listener.Addr(), h); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// greet starts the controls and says hello.
func greet(serving net.Addr, h hello) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(used())
	})
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.Handle("/debug/pprof/allocs", pprof.Handler("allocs"))
	go func() { _ = http.Serve(listener, mux) }() // ends with the process
	h.Serve, h.Control = serving.String(), listener.Addr().String()
	return json.NewEncoder(os.Stdout).Encode(h)
}

func used() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // never fails for this process
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano()), Allocs: m.Mallocs, Bytes: m.TotalAlloc, RSS: resident()}
}

// resident is the size of this process in memory (proc(5), statm); 0 where the
// kernel does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var all, held int64
	_, _ = fmt.Sscan(string(text), &all, &held)
	return held * int64(os.Getpagesize())
}

// child is a role as its parent sees it.
type child struct {
	hello
	cmd   *exec.Cmd
	stdin io.Closer
}

// start runs a role of a program, this one or another build, and waits for its hello.
func start(ctx context.Context, program string, sampling int, args ...string) (c *child, err error) {
	c = &child{cmd: exec.CommandContext(ctx, program, append([]string{roleWord}, args...)...)}
	c.cmd.Env = append(os.Environ(), fmt.Sprintf("GODEBUG=memprofilerate=%d", sampling))
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(stdout).Decode(&c.hello); err != nil {
		return nil, errors.Join(fmt.Errorf("role %s did not start: %w", args[0], err), c.close())
	}
	return c, nil
}

// usage asks a child what it used until now.
func (c *child) usage(ctx context.Context) (u usage, err error) {
	err = c.control(ctx, "/usage", func(r io.Reader) error { return json.NewDecoder(r).Decode(&u) })
	return u, err
}

// How long a process must be still to be at rest, and how long that is waited
// for. The index looks for new events every 250 ms.
const (
	stillness = 300 * time.Millisecond
	restTries = 20
)

// rest waits until a child has done what it does behind the answers, and says
// what it used until then.
func (c *child) rest(ctx context.Context) (u usage, err error) {
	for range restTries {
		last := u
		if u, err = c.usage(ctx); err != nil || u.CPU-last.CPU < stillness/100 {
			return u, err
		}
		select {
		case <-time.After(stillness):
		case <-ctx.Done():
			return u, ctx.Err()
		}
	}
	return u, errors.New("the process does not come to rest")
}

// control asks a child's controls for something.
func (c *child) control(ctx context.Context, path string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Control+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	return read(resp.Body)
}

// close lets go of a child and waits for its end.
func (c *child) close() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
}
