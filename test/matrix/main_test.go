package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/cmd/mcp-gateway/run"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, roles())) }

const (
	gatewayRole = "gateway" // serves its parent over stdio; its argument is a configuration
	modernRole  = "modern"  // upstreams
	legacyRole  = "legacy"
)

func roles() map[string]func(args []string) {
	upstream := func(revisions ...string) func([]string) {
		return func([]string) { _ = server(revisions...).Run(context.Background(), &mcp.StdioTransport{}) }
	}
	return map[string]func([]string){
		gatewayRole: func(args []string) {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			defer stop()
			if err := overStdio(ctx, args[0]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
		modernRole: upstream(),
		legacyRole: upstream(legacyRevisions...),
	}
}

func overStdio(ctx context.Context, config string) (err error) {
	g, err := run.Open(ctx, run.Options{ConfigPath: config, Version: stage.Version})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	return g.ServeStdio(ctx, os.Stdin, os.Stdout, "")
}
