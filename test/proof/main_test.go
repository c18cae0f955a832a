package proof

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/examples/incident/desk"
)

var long = flag.Bool("proof", false, "run what is too long for each run")

// The test binary is also the gateway that is killed and the server that the
// gateway starts.
const (
	roleVar     = "MCP_GATEWAY_PROOF_ROLE"
	roleGateway = "gateway" // arguments: configuration, version
	roleBooker  = "booker"  // arguments: where to listen, where to record what is executed
	roleDesk    = "desk"    // arguments: where to record what is executed, what lets it end
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case roleGateway:
		err = serve(os.Args[1], os.Args[2])
	case roleBooker:
		err = serveBookings(os.Args[1], os.Args[2])
	case roleDesk:
		err = desk.Serve(context.Background(), desk.Options{Record: os.Args[1]})
		cling(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// cling keeps a server that has lost its gateway alive until a file is there, or
// for a minute, so that one which is gone before that was ended and did not end
// by itself.
func cling(path string) {
	tick := time.NewTicker(20 * time.Millisecond)
	for began := time.Now(); time.Since(began) < time.Minute; <-tick.C {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
}

// serve is what the command serve does. It says its address on standard output
// once it listens and has both upstreams' lists.
func serve(path, version string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM)
	defer stop()
	g, err := run.Open(ctx, run.Options{ConfigPath: path, Version: version})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	return g.Serve(ctx, func(addr net.Addr) {
		go func() {
			for id := range g.Upstreams() {
				if err := g.Refresh(ctx, id); err != nil && id != bookerID { // which may be dead just now
					fmt.Fprintln(os.Stderr, "refresh:", err)
					return
				}
			}
			fmt.Println(addr)
		}()
	})
}
