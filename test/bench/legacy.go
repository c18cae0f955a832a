package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-gateway/protocol"
)

// legacyCall is tools/call of a host of revision 2025-11-25, within a session.
const legacyCall = protocol.MethodToolsCall + " in a session of " + protocol.Revision20251125

// typed is the measure of legacyCall: a server of the SDK, with its client behind
// it, that passes calls on and does nothing else.
const typed = "typed SDK proxy"

// typedHandler connects the client and offers what the upstream's echo server does.
func typedHandler(ctx context.Context, upstream string) (http.Handler, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	client := mcp.NewClient(&mcp.Implementation{Name: "typed", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: "http://" + upstream + "/" + echoServer, HTTPClient: &http.Client{Transport: transport}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, err
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "typed", Version: "1"}, nil)
	for _, tool := range list.Tools {
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true}), nil
}

// legacyCalls are the targets of legacyCall, each with a session of its own.
func (s *stage) legacyCalls(ctx context.Context) ([]target, error) {
	targets := []target{{name: direct, process: s.upstream}, {name: typed, process: s.typed}, {name: gateway, process: s.gateway, behind: s.index}}
	for i := range targets {
		path, tool := "/"+echoServer, "echo"
		if t := &targets[i]; t.name == gateway {
			path, tool = "/mcp", echoServer+"__echo"
		}
		var err error
		if targets[i].request, err = newLegacyCall(ctx, targets[i].process.Serve, path, tool, s.gateway.Key); err != nil {
			return nil, fmt.Errorf("%s: %w", targets[i].name, err)
		}
	}
	return targets, nil
}

// newLegacyCall begins a session and returns a call within it. Its id has room for
// a number for each caller, since a session knows its calls by their ids.
func newLegacyCall(ctx context.Context, host, path, tool, key string) (request, error) {
	h := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + key},
	}
	h.Set(protocol.HeaderVersion, protocol.Revision20251125)
	session, err := begin(ctx, "http://"+host+path, h)
	if err != nil {
		return request{}, err
	}
	if session != "" { // a server without state gives none
		h.Set(protocol.HeaderSession, session)
	}
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"name":%q,"arguments":{"text":%q}}}`,
		firstID, protocol.MethodToolsCall, tool, saying)
	return request{
		raw:      encode(host, path, h, body),
		numbered: true,
		check:    func(result []byte) error { return checkCall(result, 0) },
	}, nil
}

// begin initializes a session and returns its id.
func begin(ctx context.Context, url string, h http.Header) (string, error) {
	post := func(body string, session string) (id string, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
		if err != nil {
			return "", err
		}
		if req.Header = h.Clone(); session != "" {
			req.Header.Set(protocol.HeaderSession, session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode/100 != 2 {
			err = errors.New(resp.Status)
		}
		return resp.Header.Get(protocol.HeaderSession), err
	}
	session, err := post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+protocol.Revision20251125+
		`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`, "")
	if err != nil {
		return "", fmt.Errorf("initialize: %w", err)
	}
	if _, err := post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, session); err != nil {
		return "", fmt.Errorf("initialized: %w", err)
	}
	return session, nil
}

// firstID is the id of the first caller; those of the others have as many digits.
const firstID = 10_000

// by is the request as one of several callers sends it.
func (r *request) by(caller int) []byte {
	if !r.numbered {
		return r.raw
	}
	id := func(n int) []byte { return []byte(`"id":` + strconv.Itoa(firstID+n) + `,`) }
	return bytes.Replace(r.raw, id(0), id(caller), 1)
}
