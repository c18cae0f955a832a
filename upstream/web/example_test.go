package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"mcp-gateway/egress"
	"mcp-gateway/protocol"
	"mcp-gateway/upstream/web"
)

func ExampleLink() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get(protocol.HeaderMethod) == protocol.MethodDiscover {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}`)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":2,"result":{"tool":%q}}`, r.Header.Get(protocol.HeaderName))
	}))
	defer server.Close()
	link, err := web.New(web.Options{
		URL: server.URL, Version: "1.0.0",
		Client: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}),
	})
	if err != nil {
		panic(err)
	}
	defer link.Close()
	in, err := link.Exchange(context.Background(), &protocol.Outgoing{
		Method: protocol.MethodToolsCall, Name: "echo", Params: []byte(`{"name":"echo"}`),
	}, 1<<20)
	fmt.Printf("%s %v\n", in.Result, err)
	// Output: {"tool":"echo"} <nil>
}
