package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// status is what the example says of its service.
const status = `{"service":"payments","observed_at":"2026-09-01T00:00:00Z","window_minutes":5,"error_rate":0.182,` +
	`"checkout_failure_rate":0.21,"evidence_id":"status-payments-0001"}`

// pair is the client over one transport, in one revision.
type pair struct {
	transport string // http or stdio
	revision  string
	url       string
}

// run does what every client of the table does: agree on a revision, see what
// the principal may see, make two calls.
func (p pair) run(ctx context.Context, calls string) error {
	t, err := readTable(calls)
	if err != nil {
		return err
	}
	transport, err := p.door()
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "clients-test", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: p.revision})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return errors.Join(p.check(ctx, session, t.Sees["reader"]), session.Close())
}

func (p pair) door() (mcp.Transport, error) {
	if p.transport == "stdio" {
		var command []string
		if err := json.Unmarshal([]byte(os.Getenv("GATEWAY_COMMAND")), &command); err != nil {
			return nil, err
		}
		return &mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...)}, nil
	}
	return &mcp.StreamableClientTransport{
		Endpoint: p.url, HTTPClient: &http.Client{Transport: bearer(os.Getenv("GATEWAY_KEY_READER"))}, MaxRetries: -1,
	}, nil
}

func (p pair) check(ctx context.Context, session *mcp.ClientSession, sees []string) error {
	if got := session.InitializeResult().ProtocolVersion; got != p.revision {
		return fmt.Errorf("it speaks %s, want %s", got, p.revision)
	}
	got, err := listed(ctx, session)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(sees) == 0 || !slices.Equal(got, sees) {
		return fmt.Errorf("it sees %v, want %v", got, sees)
	}
	message := "grüße, go-sdk over " + p.transport
	for _, s := range []step{
		{Tool: "everything__echo", Arguments: json.RawMessage(`{"message":"` + message + `"}`), Text: "Echo: " + message},
		{Tool: "incident__get_service_status", Arguments: json.RawMessage(`{"service":"payments","window_minutes":5}`), Structured: json.RawMessage(status)},
	} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: s.Tool, Arguments: s.Arguments})
		if _, err := s.check(result, err); err != nil {
			return fmt.Errorf("%s: %w", s.Tool, err)
		}
	}
	return nil
}
