package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	transport := flag.String("transport", "http", "http or stdio")
	legacy := flag.Bool("legacy", false, "speak 2025-11-25 only")
	flag.Parse()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	revision, err := run(ctx, *transport, *legacy)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcpgo:", err)
		os.Exit(1)
	}
	fmt.Println(revision)
}

// run does what every client of the table does: agree on a revision, see what
// the principal may see, make two calls.
func run(ctx context.Context, transport string, legacy bool) (string, error) {
	c, err := connect(transport, legacy)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil && transport == "http" { // over stdio it was started already
		return "", err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "clients-test", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return "", fmt.Errorf("initialize: %w", err)
	}
	want := "2026-07-28"
	if legacy {
		want = "2025-11-25"
	}
	if got := c.ProtocolVersion(); got != want {
		return "", fmt.Errorf("it speaks %s, want %s", got, want)
	}
	if err := list(ctx, c); err != nil {
		return "", err
	}
	return want, calls(ctx, c, transport)
}

func connect(way string, legacy bool) (*client.Client, error) {
	var options []client.ClientOption
	if legacy {
		options = append(options, client.WithLegacyProtocolOnly())
	}
	if way == "stdio" {
		var command []string
		if err := json.Unmarshal([]byte(os.Getenv("GATEWAY_COMMAND")), &command); err != nil {
			return nil, err
		}
		return client.NewClient(transport.NewStdio(command[0], nil, command[1:]...), options...), nil
	}
	t, err := transport.NewStreamableHTTP(os.Getenv("GATEWAY_URL"), transport.WithHTTPHeaders(map[string]string{
		"Authorization": "Bearer " + os.Getenv("GATEWAY_KEY_READER"),
	}))
	if err != nil {
		return nil, err
	}
	return client.NewClient(t, options...), nil
}

func list(ctx context.Context, c *client.Client) error {
	text, err := os.ReadFile(os.Getenv("GATEWAY_CALLS"))
	if err != nil {
		return err
	}
	var table struct {
		Sees map[string][]string `json:"sees"`
	}
	if err := json.Unmarshal(text, &table); err != nil {
		return err
	}
	result, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	var got []string
	for _, t := range result.Tools {
		got = append(got, t.Name)
	}
	if want := table.Sees["reader"]; len(want) == 0 || !slices.Equal(got, want) {
		return fmt.Errorf("it sees %v, want %v", got, want)
	}
	return nil
}

func calls(ctx context.Context, c *client.Client, way string) error {
	message := "grüße, mcp-go over " + way
	echo, err := call(ctx, c, "everything__echo", map[string]any{"message": message})
	if err != nil {
		return err
	}
	text, _ := mcp.AsTextContent(echo.Content[0])
	if text == nil || text.Text != "Echo: "+message {
		return fmt.Errorf("echo: %v", echo.Content)
	}
	status, err := call(ctx, c, "incident__get_service_status", map[string]any{"service": "payments", "window_minutes": 5})
	if err != nil {
		return err
	}
	facts, _ := status.StructuredContent.(map[string]any)
	if facts["error_rate"] != 0.182 {
		return fmt.Errorf("status: %v", status.StructuredContent)
	}
	return nil
}

func call(ctx context.Context, c *client.Client, name string, arguments map[string]any) (*mcp.CallToolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = name, arguments
	result, err := c.CallTool(ctx, request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case result.IsError || len(result.Content) == 0:
		return nil, fmt.Errorf("%s: %v", name, result.Content)
	}
	return result, nil
}
