package exchange_test

import (
	"context"
	"fmt"

	"mcp-gateway/protocol"
	"mcp-gateway/upstream/exchange"
)

func ExampleLine() {
	hub := exchange.NewHub(exchange.Rules{Counters: new(exchange.Counters)})
	line := exchange.NewLine(hub, protocol.Limits{}, func([]byte) {})
	x, err := line.Begin(context.Background(), &protocol.Outgoing{
		Method: protocol.MethodToolsCall, Progress: true,
		Notify: func(_ string, params []byte) { fmt.Printf("told %s\n", params) },
	})
	if err != nil {
		panic(err)
	}
	defer line.Close(x)
	line.Dispatch([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`), true)
	line.Dispatch([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`), true)
	fmt.Printf("answered %s\n", (<-x.Reply()).Message.Result)
	// Output:
	// told {"progress":0.5}
	// answered {"content":[]}
}
