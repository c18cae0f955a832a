package wire_test

import (
	"fmt"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/wire"
)

func ExampleEnvelope_Request() {
	out := &protocol.Outgoing{Method: protocol.MethodToolsCall, Params: []byte(`{"name":"echo","arguments":{"n":1.0}}`)}
	fmt.Printf("%s\n", wire.Envelope{}.Request(1, out))
	// Output: {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":1.0}}}
}
