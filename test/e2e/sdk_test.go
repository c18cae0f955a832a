package e2e

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

type total struct {
	Sum int `json:"sum"`
}

// TestSDKServer puts a stateless server of the SDK behind the gateway.
func TestSDKServer(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "sums", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds."},
		func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, total, error) {
			return nil, total{in.A + in.B}, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Served(t, "sums", handler)}})
	for args, want := range map[string]struct{ sum, code string }{
		`{"a":2,"b":3}`:   {"5", ""},
		`{"a":2,"b":"3"}`: {"", string(gateway.CodeInvalidArguments)},
		`{"a":2}`:         {"", string(gateway.CodeInvalidArguments)},
	} {
		r := s.Host("alice").Call(t, "sums__add", args)
		if r.Get("/structuredContent/sum") != want.sum || r.Code() != want.code {
			t.Errorf("%s: %s", args, r.Body)
		}
		sane(t, r)
	}
}
