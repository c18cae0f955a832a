package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/audit"
	"mcp-gateway/protocol"
	"mcp-gateway/test/stage"
)

// legacyRevisions are what a legacy upstream speaks.
var legacyRevisions = protocol.LegacyRevisions()

// kinds are the upstreams, by the ids that they have in the gateway, and what the
// gateway speaks to each, in the order of the table.
var kinds = []kind{
	{"mhttp", "modern HTTP", protocol.Revision20260728},
	{"lhttp", "legacy HTTP", protocol.Revision20251125},
	{"sse", "SSE 2024-11-05", protocol.Revision20241105},
	{"mstdio", "modern stdio", protocol.Revision20260728},
	{"lstdio", "legacy stdio", protocol.Revision20251125},
}

type kind struct{ id, title, revision string }

func (k kind) era() string {
	if protocol.IsModern(k.revision) {
		return string(audit.Modern)
	}
	return string(audit.Legacy)
}

// upstreams are one of each kind. Those of the old era may ask.
func upstreams(t testing.TB) []stage.Upstream {
	t.Helper()
	served := func(id string, h func(func(*http.Request) *mcp.Server) http.Handler, revisions ...string) stage.Upstream {
		one := server(revisions...)
		return stage.Served(t, id, h(func(*http.Request) *mcp.Server { return one }))
	}
	streamable := func(stateless bool) func(func(*http.Request) *mcp.Server) http.Handler {
		return func(get func(*http.Request) *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true})
		}
	}
	sse := func(get func(*http.Request) *mcp.Server) http.Handler { return mcp.NewSSEHandler(get, nil) }
	const relay = "relay: [elicitation]"
	return []stage.Upstream{
		served("mhttp", streamable(true)),
		served("lhttp", streamable(false), legacyRevisions...).With(relay),
		served("sse", sse, protocol.Revision20241105).With(relay),
		stage.Process("mstdio", modernRole),
		stage.Process("lstdio", legacyRole).With(relay),
	}
}

// server has a tool for each thing that hosts try. It speaks the revisions that
// are named, or else all of them.
func server(revisions ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "matrix", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: revisions})
	add := func(name, description string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: map[string]any{"type": "object"}}, h)
	}
	add("echo", "", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say(string(r.Params.Arguments)), nil
	})
	add("steps", "", steps)
	add("ask", "", ask)

	var cancelled atomic.Int64
	add("wait", "", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return nil, ctx.Err()
	})
	add("cancelled", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say(fmt.Sprint(cancelled.Load())), nil
	})

	// drift changes a definition, or changes it back.
	var turns atomic.Int64
	echo := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say(""), nil }
	add(shifting, "0", echo)
	add("drift", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add(shifting, fmt.Sprint(turns.Add(1)%2), echo)
		return say(""), nil
	})
	return s
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func steps(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for step := range 3 {
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: float64(step + 1), Total: 3,
		})
		if err != nil {
			return nil, err
		}
	}
	return say("done"), nil
}

// ask asks whoever calls, in the way of the call's revision: by an input_required
// result, or on the open call. What it is refused, it says.
func ask(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	question := &mcp.ElicitParams{Message: "Really?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"ok": map[string]any{"type": "boolean"}},
	}}
	if _, modern := r.Params.Meta[protocol.MetaVersion]; modern {
		answer, ok := r.Params.InputResponses["ok"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"ok": question}}, nil
		}
		return say(answer.Action), nil
	}
	answer, err := r.Session.Elicit(ctx, question)
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused):
		return say(fmt.Sprintf("refused: %s %d", protocol.MethodElicit, refused.Code)), nil
	case err != nil:
		return say(err.Error()), nil
	}
	return say(answer.Action), nil
}
