package protocol_test

import (
	"fmt"

	"mcp-gateway/protocol"
)

// An id beyond 2^53 comes back digit for digit.
func ExampleParseRequest() {
	r, err := protocol.ParseRequest([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`), protocol.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", protocol.AppendResponse(nil, r.ID, []byte("{}")))
	// Output: {"jsonrpc":"2.0","id":9007199254740993,"result":{}}
}

// What can be read in two ways is refused, and the code says how.
func ExampleRPCCodeOf() {
	_, err := protocol.ParseRequest([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`), protocol.DefaultLimits())
	fmt.Println(protocol.RPCCodeOf(err))
	// Output: -32600
}
