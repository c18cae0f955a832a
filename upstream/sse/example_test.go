package sse_test

import (
	"fmt"
	"strings"

	"mcp-gateway/upstream/sse"
)

func ExampleReader() {
	stream := ": keep-alive\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n"
	data, err := sse.NewReader(strings.NewReader(stream), 1<<20).Next()
	fmt.Printf("%s %v\n", data, err)
	// Output:
	// {"jsonrpc":"2.0",
	// "id":1,"result":{}} <nil>
}
