package soak

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/test/stage"
)

var long = flag.Bool("soak", false, "run what is too long for each run")

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, map[string]func([]string){"gateway": func(args []string) {
		if err := serve(args[0]); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}}))
}

// serve is what the command serve does. It says on standard output where it
// listens, and where it tells what it holds.
func serve(path string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM)
	defer stop()
	g, err := run.Open(ctx, run.Options{ConfigPath: path, Version: stage.Version})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", tell)
	mux.HandleFunc("/stacks", func(w http.ResponseWriter, _ *http.Request) { _ = pprof.Lookup("goroutine").WriteTo(w, 1) })
	go http.Serve(probe, mux) //nolint:errcheck // it ends with the process
	return g.Serve(ctx, func(addr net.Addr) { fmt.Println(addr, probe.Addr()) })
}

// holding is what a process holds.
type holding struct {
	Goroutines, Descriptors, Children, Zombies int
	Heap, RSS, Anonymous                       int // bytes
	Go                                         int // bytes that the runtime took and did not give back
}

// tell answers what this process holds when all that can be given back is.
func tell(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	debug.FreeOSMemory()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	h := holding{Goroutines: runtime.NumGoroutine(), Heap: int(mem.HeapAlloc), Go: int(mem.Sys - mem.HeapReleased)}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.Descriptors = len(open)
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, files := 0, 0
		_, _ = fmt.Sscanf(string(text), "%d %d %d", new(int), &pages, &files) // a file of the kernel's
		h.RSS, h.Anonymous = pages*os.Getpagesize(), (pages-files)*os.Getpagesize()
	}
	for _, child := range childrenOf(os.Getpid()) {
		h.Children++
		if child.state == "Z" {
			h.Zombies++
		}
	}
	_ = json.NewEncoder(w).Encode(h) // the test may have gone
}

type child struct {
	pid   int
	state string
}

// childrenOf lists the children of a process; none where there is no /proc.
func childrenOf(parent int) []child {
	entries, _ := os.ReadDir("/proc")
	var found []child
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it ended
		}
		// The name in parentheses may hold anything; what follows it is plain.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[1] == strconv.Itoa(parent) {
			found = append(found, child{pid, fields[0]})
		}
	}
	return found
}
