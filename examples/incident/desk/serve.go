package desk

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options of a server. The zero value records nothing and never changes.
type Options struct {
	Record  string // a file that gets a line for each executed call: the tool and the ticket, or -
	Variant string // while this file exists, list_recent_deployments has a changed definition
}

// Serve answers on standard input and output until the host closes the input
// or ctx ends.
func Serve(ctx context.Context, o Options) error {
	rec, err := openRecorder(o.Record)
	if err != nil {
		return err
	}
	defer rec.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &tools{desk: newDesk(), record: rec}
	server := newServer(t)
	if o.Variant != "" {
		if err := followVariant(ctx, server, t, o.Variant); err != nil {
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
