package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// BenchmarkLegacyCall compares one tools/call of a legacy host through a whole
// gateway with everything on, and through a proxy of the SDK's typed server and
// client that does nothing else. Host and upstream are the same and in the same
// process, so that what differs is what stands between them.
func BenchmarkLegacyCall(b *testing.B) {
	up := peer(nil)
	b.Run("gateway", func(b *testing.B) {
		s := stage.Open(b, stage.Options{Upstreams: []stage.Upstream{stage.Served(b, "peer", up)}, Review: review})
		call(b, s.URL+"/mcp", s.Host("alice").Key(), "peer__plain")
	})
	b.Run("sdk", func(b *testing.B) {
		upstream := httptest.NewServer(up)
		b.Cleanup(upstream.Close)
		front := httptest.NewServer(typedProxy(b, upstream.URL))
		b.Cleanup(front.Close)
		call(b, front.URL, "", "plain")
	})
}

// typedProxy passes calls on from an SDK server to an SDK client.
func typedProxy(b *testing.B, upstream string) http.Handler {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "proxy", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: upstream, DisableStandaloneSSE: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "proxy", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "plain", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true})
}

// call initializes a session and calls a tool in it, again and again.
func call(b *testing.B, url, key, tool string) {
	b.Helper()
	session := ""
	post := func(body string) (string, http.Header) {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Authorization": {"Bearer " + key}, protocol.HeaderVersion: {protocol.Revision20251125},
		}
		if session != "" {
			req.Header.Set(protocol.HeaderSession, session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode/100 != 2 {
			b.Fatal(resp.Status, err, string(text))
		}
		return string(text), resp.Header
	}
	_, h := post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` + initialize + `}}`)
	session = h.Get(protocol.HeaderSession)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"text":"what is said","n":1}}}`
	if text, _ := post(body); !strings.Contains(text, "structuredContent") {
		b.Fatal(text)
	}
	b.ReportAllocs()
	began := cpu(b)
	for b.Loop() {
		post(body)
	}
	b.ReportMetric(float64(cpu(b)-began)/float64(b.N), "cpu-ns/op")
}

// cpu is what this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
