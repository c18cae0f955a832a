package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	record := flag.String("record", "", "append a line to this `file` for each executed tool call: the tool and the ticket, or -")
	variant := flag.String("variant-file", "", "serve a changed definition of list_recent_deployments while this `file` exists")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *record, *variant); err != nil {
		fmt.Fprintln(os.Stderr, "incident:", err)
		os.Exit(1)
	}
}

// run serves until the host closes standard input.
func run(ctx context.Context, recordFile, variantFile string) error {
	rec, err := openRecorder(recordFile)
	if err != nil {
		return err
	}
	defer rec.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &tools{desk: newDesk(), record: rec}
	server := newServer(t)
	if variantFile != "" {
		if err := followVariant(ctx, server, t, variantFile); err != nil {
			return err
		}
	}
	err = server.Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// newServer returns the server with everything that it offers.
func newServer(t *tools) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "incident", Title: "Incident desk", Version: "1.0.0"},
		&mcp.ServerOptions{
			Instructions: "Read the runbook and the service status before a ticket is created.",
			Capabilities: &mcp.ServerCapabilities{},
		},
	)
	t.addTo(server)
	addRunbook(server)
	addTriage(server)
	return server
}
