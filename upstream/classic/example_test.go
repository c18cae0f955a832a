package classic_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/egress"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/classic"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
)

func Example() {
	server := mcp.NewServer(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "hello", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
		})
	web := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer web.Close()

	counters := new(exchange.Counters)
	at, err := post.New(post.Options{
		URL: web.URL, Client: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}), Counters: counters,
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, err := classic.Open(ctx, classic.Options{Server: at, Version: "1.0.0", Rules: exchange.Rules{Counters: counters}})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	in, err := s.Exchange(ctx, &protocol.Outgoing{
		Method: protocol.MethodToolsCall, Params: []byte(`{"name":"hello","arguments":{}}`),
	}, 1<<20)
	text, _ := protocol.Lookup(in.Result, "/content/0/text")
	fmt.Printf("%s %s %v\n", s.Peer().Era, text, err)
	// Output: legacy "hello" <nil>
}
