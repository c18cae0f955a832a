package upstream_test

import (
	"context"
	"fmt"
	"os"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream"
	"mcp-gateway/upstream/child"
)

func ExampleClient() {
	// The test binary plays a server that speaks 2026-07-28 over stdio.
	client, err := upstream.New(upstream.Config{
		ID: "played", Version: "1.0.0",
		Stdio: &child.Options{Command: []string{os.Args[0]}, Env: map[string]string{"UPSTREAM_TEST_ROLE": "modern"}},
	})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	list, err := client.List(context.Background())
	fmt.Println(len(list.Tools), list.Revision, list.TTL, err)
	in, err := client.Call(context.Background(), protocol.Outgoing{
		Method: protocol.MethodToolsCall, Name: "t", Params: []byte(`{"name":"t","arguments":{}}`),
	})
	name, _ := protocol.Lookup(in.Result, "/seen/name")
	fmt.Printf("%s %v\n", name, err)
	// Output:
	// 1 2026-07-28 1h0m0s <nil>
	// "t" <nil>
}
