package post_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"mcp-gateway/egress"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
	"mcp-gateway/upstream/post"
	"mcp-gateway/upstream/wire"
)

func ExampleReader() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": a moment\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1.0}}\n\n")
	}))
	defer web.Close()
	counters := new(exchange.Counters)
	server, err := post.New(post.Options{
		URL: web.URL, Client: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}), Counters: counters,
	})
	if err != nil {
		panic(err)
	}
	hub, ctx := exchange.NewHub(exchange.Rules{Counters: counters}), context.Background()
	out := &protocol.Outgoing{Method: protocol.MethodToolsCall, Name: "t", Params: []byte(`{"name":"t"}`)}
	x := hub.Open(ctx, out)
	defer hub.Close(x)
	body := wire.NewEnvelope(protocol.Revision20260728, "1.0.0").Request(x.ID, out)
	resp, err := server.Post(ctx, server.Modern(protocol.Revision20260728, out), body, nil)
	if err != nil {
		panic(err)
	}
	defer func() { _ = resp.Body.Close() }()
	r := post.Reader{Server: server, Hub: hub, X: x, Limit: 1 << 20, Reply: func([]byte) {}}
	in, err := r.Read(ctx, resp)
	fmt.Printf("%s %v\n", in.Result, err)
	// Output: {"n":1.0} <nil>
}
