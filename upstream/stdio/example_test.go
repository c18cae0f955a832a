package stdio_test

import (
	"context"
	"fmt"
	"time"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/child"
	"mcp-gateway/upstream/stdio"
)

func ExampleLink() {
	// A server in one line of shell: it knows the old era only.
	const server = `while read -r line; do case "$line" in
		*server/discover*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}' ;;
		*'"initialize"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}' ;;
		*tools/call*) echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}' ;;
	esac; done`
	link := stdio.New(stdio.Options{
		Child:   child.Options{Command: []string{"/bin/sh", "-c", server}, Grace: 200 * time.Millisecond},
		Version: "1.0.0",
	})
	defer link.Close()
	in, err := link.Exchange(context.Background(), &protocol.Outgoing{
		Method: protocol.MethodToolsCall, Params: []byte(`{"name":"t"}`),
	}, 1<<20)
	fmt.Printf("%s %v\n", in.Result, err)
	// Output: {"content":[]} <nil>
}
